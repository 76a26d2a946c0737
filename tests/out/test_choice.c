#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "out/choice.h"
#include "tests/out/canned.h"

static bool
follow(struct choice *r, const struct out_options *o, size_t n, struct object *const *objects)
{
	struct interval *v = canned_interval(1, 0);
	bool changed;

	canned_table(v, &kind_disk, n, objects);
	interval_rollup(v);
	changed = choice_follow(r, o, v);
	interval_unref(v);
	return changed;
}

/* Totals are new objects in every interval, and yet the same. */
static void
changes_only(void **state)
{
	struct object *o[] = { canned_disk("sda"), canned_disk("sdb") }, *renamed;
	struct out_options options = { 0 };
	struct choice r = { 0 };

	(void)state;
	assert_true(follow(&r, &options, 2, o));
	assert_false(follow(&r, &options, 2, o));
	assert_true(follow(&r, &options, 1, o));
	assert_true(follow(&r, &options, 2, (struct object *[]) { o[1], o[0] }));
	assert_non_null(choice_find(&r, o[0]->uid));
	assert_int_equal(choice_find(&r, o[0]->uid)->row, 1);
	assert_null(choice_find(&r, 0));
	renamed = object_clone(o[0]);
	object_label(renamed, LABEL_MAPPER, "data");
	assert_true(follow(&r, &options, 2, (struct object *[]) { o[1], renamed }));
	choice_free(&r);
	object_unref(renamed);
	object_unref(o[0]);
	object_unref(o[1]);
}

static void
parents(void **state)
{
	struct object *disk = canned_disk("sda"), *part = object_new(&kind_partition, 0, "sda1", "sda1");
	struct object *host = object_new(&kind_adapter, 0, "host0", "host0");
	struct interval *v = canned_interval(1, 0);
	struct out_options options = { 0 };
	struct choice r = { 0 };

	(void)state;
	part->parent = disk->uid;
	part->counts_in = host->uid;
	disk->counts_in = host->uid;
	canned_table(v, &kind_partition, 1, &part);
	canned_table(v, &kind_adapter, 1, &host);
	canned_table(v, &kind_disk, 1, &disk);
	choice_follow(&r, &options, v);
	for (size_t i = 0; i < r.n; i++) {
		const char *want = r.tables[i].kind == &kind_partition ? "sda" : "host0";

		if (r.tables[i].kind == &kind_adapter)
			assert_null(r.tables[i].rows[0].parent);
		else
			assert_string_equal(r.tables[i].rows[0].parent, want);
	}
	interval_unref(v);
	choice_free(&r);
	object_unref(disk);
	object_unref(part);
	object_unref(host);
}

static void
wanted(void **state)
{
	static const struct kind detail = { .key = "op", .detail = true };
	static const struct kind *const named[] = { &kind_nic, &detail };
	struct out_options all = { 0 }, some = { .kinds = named, .n_kinds = 2 };

	(void)state;
	assert_true(choice_wants(&all, &kind_disk));
	assert_false(choice_wants(&all, &detail));
	assert_false(choice_wants(&some, &kind_disk));
	assert_true(choice_wants(&some, &kind_nic));
	assert_true(choice_wants(&some, &detail));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_only),
		cmocka_unit_test(parents),
		cmocka_unit_test(wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

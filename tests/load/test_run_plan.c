/*
 * Which part of the target each worker uses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "load/feed.h"
#include "load/job.h"
#include "load/run_plan.h"

#define MIB (UINT64_C(1) << 20)

static struct job_file *
parse(const char *text)
{
	char why[200] = "";
	struct job_file *file = job_parse("t.fio", text, strlen(text), why, sizeof(why));

	if (file == NULL)
		fail_msg("%s", why);
	return file;
}

static int
plan(struct run_plan *p, const struct job_file *file, uint64_t area, uint64_t size, char *why, size_t len)
{
	struct target target = { .facts = { .kind = TARGET_NULL, .path = "null:" }, .fd = -1, .area_bytes = area };
	struct run_options o = { .jobs = file, .target = &target, .runtime_ns = UINT64_MAX, .ramp_ns = UINT64_MAX,
		.size_bytes = size };

	return run_plan_make(p, &o, why, len);
}

static void
expect(const char *text, uint64_t area, uint64_t size, size_t i, uint64_t start, uint64_t bytes)
{
	struct job_file *file = parse(text);
	struct run_plan p = { 0 };
	char why[300] = "";

	if (plan(&p, file, area, size, why, sizeof(why)) != 0)
		fail_msg("%s", why);
	assert_true(i < p.n_workers);
	assert_int_equal(p.workers[i].area_start, start);
	assert_int_equal(p.workers[i].area_bytes, bytes);
	run_plan_free(&p);
	job_free(file);
}

static void
areas(void **state)
{
	(void)state;
	expect("[a]\n", 400 * MIB, 0, 0, 0, 400 * MIB);
	expect("[a]\nsize=64m\noffset=32m\n", 400 * MIB, 0, 0, 32 * MIB, 64 * MIB);
	expect("[a]\noffset=25%\n", 400 * MIB, 0, 0, 100 * MIB, 300 * MIB);
	/* Per cent go up to the next block: 10 % of 64 KiB are 6553 bytes. */
	expect("[a]\nsize=20%\noffset=10%\n", 65536, 0, 0, 8192, 12288);
	expect("[a]\nbs=512\noffset=10%\n", 65536, 0, 0, 6656, 58880);
	expect("[a]\nbs=8k\nnumjobs=2\noffset_increment=20%\n", 65536, 0, 1, 16384, 49152);
	/* --size instead of the job's bytes, and instead of the target for its per cent. */
	expect("[a]\nsize=64m\noffset=32m\n", 400 * MIB, 48 * MIB, 0, 32 * MIB, 48 * MIB);
	expect("[a]\nsize=25%\n", 400 * MIB, 200 * MIB, 0, 0, 50 * MIB);
}

static void
clones_side_by_side(void **state)
{
	static const char text[] = "[a]\nnumjobs=4\nsize=25%\noffset_increment=25%\n";
	struct job_file *file;
	struct run_plan p = { 0 };
	char why[300] = "";

	(void)state;
	expect(text, 400 * MIB, 0, 0, 0, 100 * MIB);
	expect(text, 400 * MIB, 0, 3, 300 * MIB, 100 * MIB);
	expect(text, 400 * MIB, 80 * MIB, 3, 60 * MIB, 20 * MIB);
	expect("[a]\nnumjobs=3\noffset=8m\noffset_increment=16m\nsize=5m\n", 400 * MIB, 0, 2, 40 * MIB, 5 * MIB);
	/* The fifth begins where the target ends. */
	file = parse("[a]\nnumjobs=5\noffset_increment=25%\n");
	assert_int_not_equal(plan(&p, file, 400 * MIB, 0, why, sizeof(why)), 0);
	assert_non_null(strstr(why, "does not hold a block"));
	job_free(file);
}

/* Three files in 100 KiB: of 33.3 each, in whole blocks of 4 KiB. */
static void
files_of_a_size(void **state)
{
	struct job_file *file = parse("[a]\nnrfiles=3\nsize=100k\nbs=32k\n");
	struct run_plan p = { 0 };
	char why[300] = "";

	(void)state;
	assert_int_equal(plan(&p, file, 400 * MIB, 0, why, sizeof(why)), 0);
	assert_int_equal(p.workers[0].area_bytes, 3 * 32768);
	run_plan_free(&p);
	assert_int_not_equal(plan(&p, file, 400 * MIB, 95 * 1024, why, sizeof(why)), 0);
	assert_non_null(strstr(why, "3 files (nrfiles)"));
	job_free(file);
	/* They are as large as filesize says together. */
	expect("[a]\nnrfiles=4\nfilesize=1m\n", 400 * MIB, 0, 0, 0, 4 * MIB);
}

/* Each I/O goes to the next file, and each file is read in order. */
static void
files_take_turns(void **state)
{
	static const uint64_t offsets[] = { 64, 96, 128, 72, 104, 136, 80, 112, 144, 88, 120, 152, 64 };
	struct job_file *file = parse("[a]\nnrfiles=3\nfile_service_type=roundrobin\nsize=96k\nbs=8k\nrw=read\n");
	struct feed feed;
	struct io io = { .slot = 0 };
	uint64_t wait_ns;
	bool late;

	(void)state;
	feed_init(&feed, &file->jobs[0], 64 << 10, 96 << 10, UINT64_MAX, 1, 0);
	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		assert_int_equal(feed_next(&feed, &io, 0, &wait_ns, &late), FEED_IO);
		assert_int_equal(io.offset, offsets[i] << 10);
		assert_int_equal(io.bytes, 8192);
	}
	feed_free(&feed);
	job_free(file);
}

/* Two workers x 32768 x 64 KiB are 4 GiB of buffers, which an eighth must be left beside. */
static void
memory(void **state)
{
	struct job_file *file = parse("[a]\nnumjobs=2\niodepth=32768\nbs=4k,64k\nrw=rw\n");
	struct run_plan p = { 0 };
	char why[300] = "";

	(void)state;
	assert_int_equal(plan(&p, file, 400 * MIB, 0, why, sizeof(why)), 0);
	assert_true(run_plan_fits(&p, 5120 * MIB, why, sizeof(why)));
	assert_true(run_plan_fits(&p, UINT64_MAX, why, sizeof(why)));
	assert_false(run_plan_fits(&p, 4200 * MIB, why, sizeof(why)));
	assert_non_null(strstr(why, "of 4200 MiB available"));
	run_plan_free(&p);
	job_free(file);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(areas),
		cmocka_unit_test(clones_side_by_side),
		cmocka_unit_test(files_of_a_size),
		cmocka_unit_test(files_take_turns),
		cmocka_unit_test(memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

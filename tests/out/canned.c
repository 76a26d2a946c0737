#include "tests/out/canned.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/xalloc.h"

struct interval *
canned_interval(double seconds, int after)
{
	uint64_t at = (1000 + (uint64_t)after) * CANNED_S;
	struct stamp end = { .mono_ns = at, .boot_ns = at, .wall_ms = CANNED_MS + after * 1000 };

	return interval_new(&end, (uint64_t)(seconds * 1e9));
}

struct interval_table *
canned_table(struct interval *v, const struct kind *kind, size_t n, struct object *const *objects)
{
	struct interval_table *t = interval_make_table(v, kind, n, v->ns);

	for (size_t i = 0; i < n; i++)
		t->rows[i].object = object_ref(objects[i]);
	for (size_t i = 0; i < n * kind->n_metrics; i++)
		t->cells[i] = 0;
	return t;
}

struct object *
canned_disk(const char *name)
{
	return object_new(&kind_disk, 0, name, name);
}

static void
take_note(void *arg, const char *line)
{
	struct canned *c = arg;
	size_t len = strlen(c->notes);

	snprintf(c->notes + len, sizeof(c->notes) - len, "%s\n", line);
}

void
canned_begin(struct canned *c)
{
	FILE *file = tmpfile();

	assert_non_null(file);
	*c = (struct canned) { 0 };
	c->options = (struct out_options) { .fd = dup(fileno(file)), .host = "db7", .note = take_note, .note_arg = c };
	fclose(file);
}

void
canned_open(struct canned *c, struct sink *(*make)(const struct out_options *))
{
	c->sink = make(&c->options);
}

void
canned_put(struct canned *c, struct interval *v)
{
	assert_int_equal(sink_put(c->sink, v), 0);
	interval_unref(v);
}

char *
canned_text(const struct canned *c)
{
	off_t size = lseek(c->options.fd, 0, SEEK_END);
	char *text = xmalloc((size_t)size + 1);

	assert_int_equal(pread(c->options.fd, text, (size_t)size, 0), size);
	text[size] = '\0';
	return text;
}

void
canned_end(struct canned *c)
{
	assert_int_equal(sink_close(c->sink), 0);
	close(c->options.fd);
}

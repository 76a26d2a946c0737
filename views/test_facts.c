/* What is known of a target, and the question before it is used. */
#include <stdio.h>
#include <string.h>

#include "core/format.h"
#include "views/test_page.h"
#include "views/text.h"

/* Is it a file that we named ourselves in a directory that was asked for? */
static size_t
directory_length(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t len = strlen(path);

	if (slash == NULL || slash == path || strncmp(slash, "/stortop-", 9) != 0 || len < 5 || strcmp(path + len - 5, ".test") != 0)
		return len;
	return (size_t)(slash - path);
}

/* "/mnt/new (xfs on sdg, 64 GiB test file)" */
static void
target_text(const struct target_facts *f, char *out, size_t size)
{
	char bytes[FORMAT_MAX];
	int len = (int)directory_length(f->path);

	format_bytes(bytes, (double)f->size_bytes);
	if (f->kind == TARGET_NULL || f->size_bytes == 0)
		snprintf(out, size, "%s", f->path);
	else if (f->kind == TARGET_DEVICE)
		snprintf(out, size, "%s (%s%s%s)", f->path, f->model, f->model[0] != '\0' ? ", " : "", bytes);
	else
		snprintf(out, size, "%.*s (%s%s%s, %s test file)", len, f->path, f->fs, f->device[0] != '\0' ? " on " : "", f->device,
		    bytes);
}

void
test_title_draw(const struct test_status *t, const struct result *ended, struct surface *surface, int y)
{
	bool quick = t->quick && surface->cols >= 40;
	char target[800], run[40] = "";
	int x = 1, room;

	if (ended != NULL && t->run_id > 0)
		snprintf(run, sizeof(run), "run %lld", (long long)t->run_id);
	x += surface_text(surface, y, x, STYLE_STRONG, t->title);
	if (t->target.path[0] == '\0')
		return;
	x += surface_text(surface, y, x, STYLE_DIM, surface->cols >= 40 ? "  on " : " ");
	target_text(&t->target, target, sizeof(target));
	room = surface->cols - x - 1 - (quick ? 7 : 0) - (run[0] != '\0' ? text_columns(run) + 2 : 0);
	/* what is in brackets goes first */
	if (text_columns(target) > room && strchr(target, '(') != NULL)
		*(strchr(target, '(') - 1) = '\0';
	room = room < text_columns(target) ? room : text_columns(target);
	if (room > 0)
		x += surface_fit(surface, y, x, room, false, STYLE_NORMAL, target);
	if (quick)
		x += 2 + surface_text(surface, y, x + 2, STYLE_DIM, "quick");
	surface_text(surface, y, x + 2, STYLE_DIM, run);
}

void
test_facts_each(const struct target_facts *f, void (*fact)(void *arg, const char *name, const char *value), void *arg)
{
	char size[FORMAT_MAX], room[FORMAT_MAX];

	format_bytes(size, (double)f->size_bytes);
	format_bytes(room, (double)f->free_bytes);
	fact(arg, "path", f->path);
	/* A server is not asked before a test begins. */
	if (f->remote != REMOTE_NONE && f->size_bytes == 0) {
		fact(arg, "what it is", "looked at on the server when the test begins");
		return;
	}
	fact(arg, f->kind == TARGET_FILE ? "on device" : "device", f->device);
	fact(arg, "model", f->model);
	fact(arg, "serial", f->serial);
	fact(arg, "WWN", f->wwn);
	fact(arg, "mapper", f->mapper);
	if (f->kind == TARGET_DEVICE) {
		fact(arg, "size", size);
		fact(arg, "on it", f->holds[0] != '\0' ? f->holds : "nothing that is known");
		fact(arg, "in use", f->in_use ? "yes" :
		    f->remote != REMOTE_NONE ? "not reserved; other hosts cannot be seen" : "no");
	} else if (f->kind == TARGET_FILE) {
		fact(arg, "file system", f->fs);
		fact(arg, "free", room);
	}
}

/* Facts on a surface: those that are known, or of a question all. */
struct facts_page {
	struct surface *surface;
	int y, end;
	bool all;
};

static void
draw_fact(void *arg, const char *name, const char *value)
{
	struct facts_page *p = arg;

	if (p->y >= p->end || (value[0] == '\0' && !p->all))
		return;
	surface_text(p->surface, p->y, 1, STYLE_DIM, name);
	surface_fit(p->surface, p->y++, 15, p->surface->cols - 16, false, value[0] != '\0' ? STYLE_NORMAL : STYLE_DIM,
	    value[0] != '\0' ? value : "-");
}

int
test_facts_draw(struct surface *surface, int y, int end, const struct target_facts *f)
{
	struct facts_page p = { surface, y, end, false };

	test_facts_each(f, draw_fact, &p);
	return p.y - y;
}

size_t
test_text_line(const char *text, int columns, char *line, size_t size)
{
	size_t n = text_wrap(text, columns, size - 1);

	snprintf(line, size, "%.*s", (int)n, text);
	return n + strspn(text + n, " ");
}

int
test_text_draw(struct surface *surface, int y, int end, unsigned style, const char *text)
{
	int start = y;

	while (*text != '\0' && y < end && surface->cols > 2) {
		char line[512];

		text += test_text_line(text, surface->cols - 2, line, sizeof(line));
		surface_text(surface, y++, 1, style, line);
	}
	return y - start;
}

/* Columns of the first n bytes. */
static int
columns_of(const char *text, size_t n)
{
	char part[512];

	snprintf(part, sizeof(part), "%.*s", (int)n, text);
	return text_columns(part);
}

void
test_line_draw(struct surface *surface, int y, const char *text)
{
	size_t start = 0, end;

	surface_text(surface, y, 1, STYLE_NORMAL, text);
	for (; text[start] != '\0'; start = end + strspn(text + end, " ")) {
		const char *gap = strstr(text + start, "  ");
		int x = 1 + columns_of(text, start);

		end = gap != NULL ? (size_t)(gap - text) : strlen(text);
		if (strncmp(text + start, "! ", 2) == 0 || (end > start + 2 && strncmp(text + end - 2, " !", 2) == 0))
			surface_restyle(surface, y, x, columns_of(text + start, end - start), STYLE_WARN);
	}
}

void
test_question_draw(const struct test_page *p, struct surface *surface, int y, int end)
{
	struct facts_page facts;
	const char *what;
	char bytes[FORMAT_MAX], text[400];

	snprintf(bytes, sizeof(bytes), "%llu", (unsigned long long)p->question.size_bytes);
	what = strcmp(p->wants, bytes) == 0 ? "its size in bytes" : "its serial number";
	if (p->question_amount[0] != '\0')
		snprintf(text, sizeof(text), "ALL DATA on it will be lost. To be written: %s. To go on, type %s, %s",
		    p->question_amount, what, p->wants);
	else
		snprintf(text, sizeof(text), "It is in use, and the test adds load to it. To go on, type %s", p->wants);
	y += test_text_draw(surface, y, end, STYLE_CRIT, text);
	/* what is not known is an answer too: there is nothing else to tell it by */
	facts = (struct facts_page) { surface, y + (end - y > 9), end, end - y >= 9 };
	test_facts_each(&p->question, draw_fact, &facts);
}

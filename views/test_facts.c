/* What is known of a target, and the question before it is used. */
#include <stdio.h>
#include <string.h>

#include "core/format.h"
#include "views/test_page.h"

static int
draw_fact(struct surface *surface, int y, int end, const char *name, const char *text)
{
	if (text[0] == '\0' || y >= end)
		return 0;
	surface_text(surface, y, 1, STYLE_DIM, name);
	surface_fit(surface, y, 15, surface->cols - 16, false, STYLE_NORMAL, text);
	return 1;
}

int
test_facts_draw(struct surface *surface, int y, int end, const struct target_facts *f)
{
	char size[FORMAT_MAX], room[FORMAT_MAX];
	int start = y;

	format_bytes(size, (double)f->size_bytes);
	format_bytes(room, (double)f->free_bytes);
	y += draw_fact(surface, y, end, "path", f->path);
	y += draw_fact(surface, y, end, f->kind == TARGET_FILE ? "on device" : "device", f->device);
	y += draw_fact(surface, y, end, "model", f->model);
	y += draw_fact(surface, y, end, "serial", f->serial);
	y += draw_fact(surface, y, end, "WWN", f->wwn);
	y += draw_fact(surface, y, end, "mapper", f->mapper);
	if (f->kind == TARGET_DEVICE) {
		y += draw_fact(surface, y, end, "size", size);
		y += draw_fact(surface, y, end, "on it", f->holds[0] != '\0' ? f->holds : "nothing that is known");
		y += draw_fact(surface, y, end, "in use", f->in_use ? "yes" : "no");
	} else if (f->kind == TARGET_FILE) {
		y += draw_fact(surface, y, end, "file system", f->fs);
		y += draw_fact(surface, y, end, "free", room);
	}
	return y - start;
}

int
test_text_draw(struct surface *surface, int y, int end, unsigned style, const char *text)
{
	int start = y, room = surface->cols - 2;

	while (*text != '\0' && y < end && room > 0) {
		char line[512];
		size_t n = strlen(text);

		if (n > (size_t)room) {
			n = (size_t)room;
			while (n > 0 && text[n] != ' ')
				n--;
			n = n > 0 ? n : (size_t)room;
		}
		snprintf(line, sizeof(line), "%.*s", (int)n, text);
		surface_text(surface, y++, 1, style, line);
		text += n;
		text += strspn(text, " ");
	}
	return y - start;
}

void
test_question_draw(const struct test_page *p, struct surface *surface, int y, int end)
{
	char text[400];

	if (p->question_amount[0] != '\0')
		snprintf(text, sizeof(text), "ALL DATA on it will be lost. To be written: %s. To go on, type %s", p->question_amount,
		    p->wants);
	else
		snprintf(text, sizeof(text), "It is in use, and the test adds load to it. To go on, type %s", p->wants);
	y += test_text_draw(surface, y, end, STYLE_CRIT, text);
	test_facts_draw(surface, y, end, &p->question);
}

/*
 * JSON lines: one object per tick and line, numbers under the catalogue's keys, absent ones left out.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/column.h"
#include "core/format.h"
#include "core/xalloc.h"
#include "out/escape.h"
#include "out/line.h"
#include "out/out.h"
#include "out/choice.h"

struct json {
	struct sink sink;
	struct out_options options;
	struct choice choice;
	struct line line;
};

static void
put_key(struct line *l, const char *key)
{
	line_text(l, ",\"");
	line_text(l, key);
	line_text(l, "\":");
}

static void
put_text(struct line *l, const char *key, const char *text)
{
	if (text == NULL)
		return;
	put_key(l, key);
	escape_json(l, text);
}

static void
put_number(struct line *l, const char *key, double value)
{
	char text[FORMAT_MAX];

	if (!isfinite(value))
		return;
	put_key(l, key);
	line_bytes(l, text, format_number(text, value));
}

/* Keys that stand in every row; a label of that name would be there twice. */
static bool
reserved(const struct kind *kind, const char *key)
{
	static const char *const own[] = { "kind", "object", "parent", "label", "seconds", "stalled_s" };
	int i;

	for (size_t k = 0; k < sizeof(own) / sizeof(own[0]); k++)
		if (strcmp(own[k], key) == 0)
			return true;
	i = kind_column(kind, key);
	return i >= 0 && !(kind->columns[i].flags & COLUMN_NO_EXPORT);
}

static void
put_labels(struct line *l, const struct object *object)
{
	for (unsigned i = 0; i < object->n_labels; i++) {
		const struct label *label = &object->labels[i];
		const struct label_info *info = &label_table[label->id];

		if (reserved(object->kind, info->key))
			continue;
		if (info->number && isfinite(label->number))
			put_number(l, info->key, label->number);
		else
			put_text(l, info->key, label->text);
	}
}

static void
put_columns(struct line *l, const struct kind *kind, const struct row *row)
{
	for (size_t i = 0; i < kind->n_columns; i++) {
		const struct column *c = &kind->columns[i];

		if (c->flags & COLUMN_NO_EXPORT)
			continue;
		if (c->value.per == VALUE_LABEL_TEXT)
			put_text(l, c->key, column_text(c, row));
		else
			put_number(l, c->key, column_value(c, row));
	}
}

static void
put_row(struct json *j, const struct interval *interval, const struct row *row, const char *parent)
{
	const struct object *object = row->object;
	struct line *l = &j->line;

	line_text(l, "{\"kind\":");
	escape_json(l, object->kind->key);
	put_text(l, "object", object->name);
	put_text(l, "parent", parent);
	put_text(l, "label", choice_label(&j->options, object));
	if (row->ns != interval->ns)
		put_number(l, "seconds", row_seconds(row));
	if (row->stalled_ns > 0)
		put_number(l, "stalled_s", (double)row->stalled_ns / 1e9);
	put_columns(l, object->kind, row);
	put_labels(l, object);
	line_char(l, '}');
}

static void
put_rows(struct json *j, const struct interval *interval)
{
	bool first = true;

	for (size_t i = 0; i < interval->n_tables; i++) {
		for (size_t k = 0; k < interval->tables[i].n; k++) {
			const struct choice_row *r = &j->choice.tables[i].rows[k];

			if (!r->chosen)
				continue;
			if (!first)
				line_char(&j->line, ',');
			put_row(j, interval, &interval->tables[i].rows[k], r->parent);
			first = false;
		}
	}
}

static int
json_put(struct sink *sink, struct interval *interval)
{
	struct json *j = (struct json *)sink;
	char time[FORMAT_MAX];

	choice_follow(&j->choice, &j->options, interval);
	if (j->options.elapsed) {
		line_text(&j->line, "{\"elapsed_s\":");
		line_bytes(&j->line, time, format_number(time, (double)interval->end.wall_ms / 1e3));
	} else {
		format_iso(time, interval->end.wall_ms);
		line_text(&j->line, "{\"time\":\"");
		line_text(&j->line, time);
		line_char(&j->line, '"');
	}
	put_number(&j->line, "seconds", (double)interval->ns / 1e9);
	line_text(&j->line, ",\"rows\":[");
	put_rows(j, interval);
	line_text(&j->line, "]}\n");
	return line_write(&j->line, j->options.fd);
}

static int
json_close(struct sink *sink)
{
	struct json *j = (struct json *)sink;

	choice_free(&j->choice);
	line_free(&j->line);
	free(j);
	return 0;
}

static const struct sink_ops json_ops = {
	.name = "json",
	.put = json_put,
	.close = json_close,
};

struct sink *
json_sink(const struct out_options *options)
{
	struct json *j = xcalloc(1, sizeof(*j));

	j->sink.ops = &json_ops;
	j->options = *options;
	return &j->sink;
}

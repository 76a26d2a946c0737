/*
 * Tidy CSV, for R, pandas and awk: one header, one row per object and tick, a column per figure of any
 * kind, empty where a kind does not have it or it is absent.
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

/* Where a kind's columns stand: slot i has its column at[i], or none (-1). */
struct tidy_kind {
	const struct kind *kind;
	int *at;
};

struct tidy {
	struct sink sink;
	struct out_options options;
	struct choice choice;
	struct line line;
	bool begun;
	const char **keys;	/* of the slots */
	size_t n_keys;
	struct tidy_kind *kinds;
	size_t n_kinds;
};

static void
add_keys(struct tidy *t, const struct kind *kind)
{
	t->keys = xreallocarray(t->keys, t->n_keys + kind->n_columns, sizeof(*t->keys));
	for (size_t i = 0; i < kind->n_columns; i++) {
		const struct column *c = &kind->columns[i];
		size_t k = 0;

		while (k < t->n_keys && strcmp(t->keys[k], c->key) != 0)
			k++;
		if (k == t->n_keys && !(c->flags & COLUMN_NO_EXPORT))
			t->keys[t->n_keys++] = c->key;
	}
}

static void
add_kind(struct tidy *t, const struct kind *kind)
{
	t->kinds = xreallocarray(t->kinds, t->n_kinds + 1, sizeof(*t->kinds));
	t->kinds[t->n_kinds++] = (struct tidy_kind) { .kind = kind };
	add_keys(t, kind);
}

static void
place_columns(struct tidy *t, struct tidy_kind *k)
{
	k->at = xcalloc(t->n_keys, sizeof(*k->at));
	for (size_t i = 0; i < t->n_keys; i++) {
		k->at[i] = kind_column(k->kind, t->keys[i]);
		if (k->at[i] >= 0 && (k->kind->columns[k->at[i]].flags & COLUMN_NO_EXPORT))
			k->at[i] = -1;
	}
}

/* The columns are those of all kinds that may come, whether or not they have come by now. */
static void
plan(struct tidy *t)
{
	for (size_t i = 0; t->options.kinds != NULL && i < t->options.n_kinds; i++)
		add_kind(t, t->options.kinds[i]);
	for (size_t i = 0; t->options.kinds == NULL && kind_table[i] != NULL; i++)
		if (choice_wants(&t->options, kind_table[i]))
			add_kind(t, kind_table[i]);
	for (size_t i = 0; i < t->n_kinds; i++)
		place_columns(t, &t->kinds[i]);
}

static void
put_header(struct tidy *t)
{
	line_text(&t->line, t->options.elapsed ? "elapsed_s" : "time");
	line_text(&t->line, ",seconds,kind,object,parent,label,stalled_s");
	for (size_t i = 0; i < t->n_keys; i++) {
		line_char(&t->line, ',');
		line_text(&t->line, t->keys[i]);
	}
	line_char(&t->line, '\n');
}

static void
put_number(struct line *l, double value)
{
	char text[FORMAT_MAX];

	line_char(l, ',');
	if (isfinite(value))
		line_bytes(l, text, format_number(text, value));
}

static void
put_text(struct line *l, const char *text)
{
	line_char(l, ',');
	if (text != NULL)
		escape_csv(l, text);
}

static void
put_row(struct tidy *t, const struct tidy_kind *k, const char *time, const struct row *row, const char *parent)
{
	struct line *l = &t->line;

	line_text(l, time);
	put_number(l, row_seconds(row));
	put_text(l, k->kind->key);
	put_text(l, row->object->name);
	put_text(l, parent);
	put_text(l, choice_label(&t->options, row->object));
	put_number(l, row->stalled_ns > 0 ? (double)row->stalled_ns / 1e9 : NAN);
	for (size_t i = 0; i < t->n_keys; i++) {
		const struct column *c = k->at[i] >= 0 ? &k->kind->columns[k->at[i]] : NULL;

		if (c == NULL)
			line_char(l, ',');
		else if (c->value.per == VALUE_LABEL_TEXT)
			put_text(l, column_text(c, row));
		else
			put_number(l, column_value(c, row));
	}
	line_char(l, '\n');
}

static const struct tidy_kind *
find_kind(const struct tidy *t, const struct kind *kind)
{
	for (size_t i = 0; i < t->n_kinds; i++)
		if (t->kinds[i].kind == kind)
			return &t->kinds[i];
	return NULL;
}

static int
tidy_put(struct sink *sink, struct interval *interval)
{
	struct tidy *t = (struct tidy *)sink;
	char time[FORMAT_MAX];

	if (!t->begun)
		put_header(t);
	t->begun = true;
	choice_follow(&t->choice, &t->options, interval);
	if (t->options.elapsed)
		format_number(time, (double)interval->end.wall_ms / 1e3);
	else
		format_iso(time, interval->end.wall_ms);
	for (size_t i = 0; i < interval->n_tables; i++) {
		const struct interval_table *table = &interval->tables[i];
		const struct tidy_kind *k = find_kind(t, table->kind);

		for (size_t n = 0; k != NULL && n < table->n; n++)
			if (t->choice.tables[i].rows[n].chosen)
				put_row(t, k, time, &table->rows[n], t->choice.tables[i].rows[n].parent);
	}
	return line_write(&t->line, t->options.fd);
}

static int
tidy_close(struct sink *sink)
{
	struct tidy *t = (struct tidy *)sink;

	for (size_t i = 0; i < t->n_kinds; i++)
		free(t->kinds[i].at);
	free(t->kinds);
	free(t->keys);
	choice_free(&t->choice);
	line_free(&t->line);
	free(t);
	return 0;
}

static const struct sink_ops tidy_ops = {
	.name = "tidy",
	.put = tidy_put,
	.close = tidy_close,
};

struct sink *
tidy_sink(const struct out_options *options)
{
	struct tidy *t = xcalloc(1, sizeof(*t));

	t->sink.ops = &tidy_ops;
	t->options = *options;
	plan(t);
	return &t->sink;
}

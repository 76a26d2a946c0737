/*
 * Writes stortop-columns(7) from the catalogue, so that the manual cannot differ from the program.
 */
#include <stdio.h>
#include <string.h>

#include "core/kind.h"

#define LINE 78

static void
put_word(const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (word[i] == '\\')
			fputs("\\e", stdout);
		else
			putchar(word[i]);
}

/* Text for mdoc: each sentence on lines of its own, and nothing that roff would take for a request. */
static void
put_text(const char *text)
{
	size_t column = 0;

	while (*text != '\0') {
		size_t len = strcspn(text, " ");
		bool ends = text[len] == ' ' && len > 0 && text[len - 1] == '.';

		if (column > 0 && column + 1 + len > LINE)
			column = 0, putchar('\n');
		else if (column > 0)
			column++, putchar(' ');
		if (column == 0 && (*text == '.' || *text == '\''))
			fputs("\\&", stdout);
		put_word(text, len);
		column += len;
		text += len;
		text += strspn(text, " ");
		if (ends)
			column = 0, putchar('\n');
	}
}

static void
put_line(const char *text)
{
	put_text(text);
	putchar('\n');
}

/* A word as a macro's argument: quoted, since a lone full stop or bracket would be taken for punctuation. */
static void
put_argument(const char *text)
{
	fputs("\"\\&", stdout);
	put_word(text, strlen(text));
	putchar('"');
}

static void
add_sum(FILE *to, const struct kind *kind, uint64_t metrics, bool brackets)
{
	bool first = true;

	brackets = brackets && (metrics & (metrics - 1)) != 0;
	fputs(brackets ? "(" : "", to);
	for (size_t m = 0; m < kind->n_metrics; m++) {
		if (!(metrics & M(m)))
			continue;
		fprintf(to, "%s%s", first ? "" : " + ", kind->metrics[m].key);
		first = false;
	}
	fputs(brackets ? ")" : "", to);
}

static void
add_scale(FILE *to, double scale)
{
	if (scale < 1 && 1 / scale == (double)(long)(1 / scale))
		fprintf(to, " / %.0f", 1 / scale);
	else if (scale != 1)
		fprintf(to, " * %.9g", scale);
}

static void
add_divisor(FILE *to, const struct kind *kind, const struct value *v)
{
	switch (v->per) {
	case PER_SECOND:
		fputs(" / seconds", to);
		break;
	case PER_SUM:
		fputs(" / ", to);
		add_sum(to, kind, v->by, true);
		break;
	case PER_LABEL:
		fprintf(to, " / %s", label_table[v->label].key);
		break;
	default:
		break;
	}
}

static void
add_formula(FILE *to, const struct kind *kind, const struct value *v)
{
	if (v->per == VALUE_LABEL_TEXT || v->per == VALUE_LABEL_NUMBER) {
		fprintf(to, "label %s", label_table[v->label].key);
		add_scale(to, v->per == VALUE_LABEL_NUMBER ? v->scale : 1);
		return;
	}
	if (v->per == VALUE_PERCENTILE)
		fprintf(to, "quantile %g of ", v->q);
	fputs(v->minus != 0 ? "(" : "", to);
	add_sum(to, kind, v->plus, v->minus == 0);
	if (v->minus != 0) {
		fputs(" - ", to);
		add_sum(to, kind, v->minus, true);
		putc(')', to);
	}
	add_divisor(to, kind, v);
	add_scale(to, v->scale);
}

/* How the figure comes from the raw metrics, in their names in the store. */
static void
put_formula(const struct kind *kind, const struct value *v)
{
	char text[1024] = "";
	FILE *to = fmemopen(text, sizeof(text), "w");

	if (to == NULL)
		return;
	add_formula(to, kind, v);
	fclose(to);
	puts(".Pp");
	put_line(text);
}

static void
put_column(const struct kind *kind, const struct column *c)
{
	fputs(".It Sy ", stdout);
	put_argument(c->title);
	fputs(" Pq ", stdout);
	if (c->flags & COLUMN_NO_EXPORT)
		fputs("screen only", stdout);
	else
		printf("Li %s", c->key);
	if (c->unit[0] != '\0') {
		fputs(" , ", stdout);
		put_argument(c->unit);
	}
	putchar('\n');
	put_line(c->help);
	put_formula(kind, &c->value);
}

static void
put_metrics(const struct kind *kind)
{
	static const char *const nature[] = {
		[METRIC_COUNTER] = "counter", [METRIC_COUNTER_MS32] = "counter", [METRIC_GAUGE] = "gauge",
		[METRIC_HIST] = "histogram",
	};

	puts(".Pp\nRaw metrics:\n.Bl -tag -width invalid_tx_words -compact");
	for (size_t m = 0; m < kind->n_metrics; m++) {
		const struct metric *metric = &kind->metrics[m];
		char text[256];

		snprintf(text, sizeof(text), "%s (%s, %s%s)", metric->help, nature[metric->nature], metric->unit,
		    metric->derived ? ", derived and not stored" : "");
		printf(".It Li %s\n", metric->key);
		put_line(text);
	}
	puts(".El");
}

static void
put_kind(const struct kind *kind)
{
	printf(".Ss %s\n", kind->title);
	printf("Kind\n.Li %s :\n", kind->key);
	put_line(kind->what);
	if (kind->rollup != NULL)
		puts(".Pp\nComputed from the others, not stored.");
	puts(".Bl -tag -width Ds");
	for (size_t i = 0; i < kind->n_columns; i++)
		put_column(kind, &kind->columns[i]);
	puts(".El");
	if (kind->rollup == NULL)
		put_metrics(kind);
}

static const char *
counter_source(const struct kind *kind, const struct pdh_counter *counter)
{
	if (counter->column == NULL)
		return "true zero";
	if (counter->column[0] == '\0')
		return "no source, left out";
	return kind->columns[kind_column(kind, counter->column)].title;
}

static void
put_pdh(const struct kind *kind, const struct pdh_object *object)
{
	printf(".Ss %s\n", object->name);
	printf("From the kind\n.Li %s .\n", kind->key);
	puts(".Bl -column -compact \"Average Packet Size  Transmitted (Bytes)\" \"no source, left out, with -a\"");
	for (size_t i = 0; i < object->n_counters; i++) {
		const struct pdh_counter *counter = &object->counters[i];
		char source[64];

		snprintf(source, sizeof(source), "%s%s", counter_source(kind, counter),
		    counter->all_only || counter->column == NULL ? ", with -a" : "");
		fputs(".It ", stdout);
		put_argument(counter->name);
		fputs(" Ta ", stdout);
		put_argument(source);
		putchar('\n');
	}
	puts(".El");
}

static void
put_labels(void)
{
	puts(".Sh LABELS\nWhat is known of an object and does not change by itself.\n.Bl -tag -width Ds");
	for (int id = LABEL_NONE + 1; id < LABEL_COUNT; id++) {
		printf(".It Li %s\n", label_table[id].key);
		put_line(label_table[id].help);
	}
	puts(".El");
}

int
main(void)
{
	puts(".\\\" Generated from the catalogue, src/core/kinds.\n"
	     ".Dd November 30, 2026\n.Dt STORTOP-COLUMNS 7\n.Os\n"
	     ".Sh NAME\n.Nm stortop-columns\n.Nd figures that stortop shows, records and exports\n"
	     ".Sh DESCRIPTION\nEvery figure of\n.Xr stortop 1");
	put_line("is computed from an interval: the differences of counters between two instants, and the gauges at its "
		 "end. Each entry gives the title on the screen, the key in tidy CSV and JSON, the unit, what it means, and "
		 "how it comes from the raw metrics, which bear these names in the database. "
		 "MB and KB are 2^20 and 2^10 bytes; Mb are 10^6 bits. A figure that is not known is drawn as \"-\" and left "
		 "out of the exports; it is never zero. A mean per command is not known where there was no command.");
	puts(".Sh COLUMNS");
	for (size_t i = 0; kind_table[i] != NULL; i++)
		put_kind(kind_table[i]);
	puts(".Sh COUNTERS OF THE BATCH CSV");
	put_line("The objects and counters of esxtop, in its order, and the column each is taken from. "
		 "A true zero is a command that Linux never issues.");
	for (size_t i = 0; kind_table[i] != NULL; i++)
		for (size_t k = 0; k < kind_table[i]->n_pdh; k++)
			put_pdh(kind_table[i], &kind_table[i]->pdh[k]);
	put_labels();
	puts(".Sh SEE ALSO\n.Xr stortop 1");
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}

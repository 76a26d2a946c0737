#include "core/column.h"

#include <math.h>

double
row_seconds(const struct row *row)
{
	return row->ns > 0 ? (double)row->ns / 1e9 : NAN;
}

/* NaN where a metric that must be there is not. */
static double
sum_of(const struct row *row, uint64_t mask, uint64_t optional)
{
	double sum = 0;
	bool any = mask == 0;

	for (; mask != 0; mask &= mask - 1) {
		unsigned m = (unsigned)__builtin_ctzll(mask);
		double cell = row->cells[m];

		if (isnan(cell) && (optional & M(m)))
			continue;
		sum += cell;
		any = true;
	}
	return any ? sum : NAN;
}

static double
divide(double value, double by)
{
	return by != 0 ? value / by : NAN;
}

static double
percentile(const struct value *v, const struct row *row)
{
	struct hist *sum = NULL;
	double ns;

	for (uint64_t mask = v->plus; mask != 0 && row->hists != NULL; mask &= mask - 1) {
		const struct hist *h = row->hists[__builtin_ctzll(mask)];

		if (h == NULL)
			continue;
		if (sum == NULL)
			sum = hist_new(h->bits);
		hist_add(sum, h);
	}
	ns = hist_quantile_ns(sum, v->q);
	hist_free(sum);
	return ns * v->scale;
}

static bool
agrees(const struct value *v, const struct row *row)
{
	double a, b;

	if (v->agree_a == 0)
		return true;
	a = sum_of(row, v->agree_a, 0);
	b = sum_of(row, v->agree_b, 0);
	return fabs(a - b) <= 0.01 * fmax(a, b);
}

double
column_value(const struct column *column, const struct row *row)
{
	const struct value *v = &column->value;
	double value;

	switch (v->per) {
	case VALUE_LABEL_TEXT:
		return NAN;
	case VALUE_LABEL_NUMBER:
		return v->scale * object_number(row->object, v->label);
	case VALUE_PERCENTILE:
		return percentile(v, row);
	default:
		break;
	}
	if (!agrees(v, row))
		return NAN;
	value = v->scale * (sum_of(row, v->plus, v->optional) - sum_of(row, v->minus, v->optional));
	switch (v->per) {
	case PER_SECOND:
		return value / row_seconds(row);
	case PER_SUM:
		return divide(value, sum_of(row, v->by, v->optional));
	case PER_LABEL:
		return divide(value, object_number(row->object, v->label));
	default:
		return value;
	}
}

double
column_at(const struct kind *kind, int i, const struct row *row)
{
	return i >= 0 ? column_value(&kind->columns[i], row) : NAN;
}

double
column_figure(const struct row *row, const char *key)
{
	const struct kind *kind = row->object->kind;

	return column_at(kind, kind_column(kind, key), row);
}

const char *
column_text(const struct column *column, const struct row *row)
{
	return column->value.per == VALUE_LABEL_TEXT ? object_text(row->object, column->value.label) : NULL;
}

bool
column_filled(const struct column *column, const struct interval_table *table)
{
	for (size_t i = 0; i < table->n; i++)
		if (!isnan(column_value(column, &table->rows[i])) || column_text(column, &table->rows[i]) != NULL)
			return true;
	return false;
}

#include "out/pdh_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/column.h"
#include "core/xalloc.h"
#include "out/escape.h"
#include "out/note.h"
#include "out/pdh_names.h"

/* One of esxtop's objects and the table its instances come from. */
struct section {
	const struct pdh_object *object;
	size_t table;
	bool again;	/* more instances of the object before it, which lack the same counters */
};

static bool
known(uint64_t metrics, const struct row *row)
{
	for (uint64_t m = metrics; m != 0; m &= m - 1)
		if (isnan(row->cells[__builtin_ctzll(m)]))
			return false;
	return true;
}

static double
sum_of(uint64_t metrics, const struct row *row)
{
	double sum = 0;

	for (uint64_t m = metrics; m != 0; m &= m - 1)
		if (!isnan(row->cells[__builtin_ctzll(m)]))
			sum += row->cells[__builtin_ctzll(m)];
	return sum;
}

bool
pdh_idle(const struct column *column, const struct row *row)
{
	const struct value *v = &column->value;
	uint64_t all = v->plus | v->minus | v->by | v->agree_a | v->agree_b;

	return v->per == PER_SUM && known(all & ~v->optional, row) && sum_of(v->by | v->agree_a, row) == 0;
}

/* Sorted by their place in the line; equal ones in the order of the catalogue. */
static struct section *
sections(const struct choice *choice, size_t *n)
{
	struct section *all = NULL;

	*n = 0;
	for (size_t i = 0; i < choice->n; i++) {
		const struct kind *kind = choice->tables[i].kind;

		all = xreallocarray(all, *n + kind->n_pdh, sizeof(*all));
		for (size_t k = 0; choice->tables[i].wanted && k < kind->n_pdh; k++) {
			size_t at = (*n)++;

			for (; at > 0 && all[at - 1].object->order > kind->pdh[k].order; at--)
				all[at] = all[at - 1];
			all[at] = (struct section) { .object = &kind->pdh[k], .table = i };
		}
	}
	return all;
}

static bool
member(const struct pdh_object *object, const struct choice_row *row)
{
	return row->chosen && (object->roles == 0 || (object->roles & M(row->object->role)));
}

/* false: the counter has no source for this row. */
static bool
make_cell(const struct pdh_counter *counter, const struct row *row, struct pdh_cell *cell)
{
	const struct kind *kind = row->object->kind;
	int i = counter->column != NULL ? kind_column(kind, counter->column) : -1;

	*cell = (struct pdh_cell) {
		.name = counter->name,
		.column = i >= 0 ? &kind->columns[i] : NULL,
		.scale = counter->scale == 0 ? 1 : counter->scale,
		.integer = counter->integer,
	};
	if (counter->column == NULL)
		return true;
	return i >= 0 && (isfinite(column_value(cell->column, row)) || pdh_idle(cell->column, row));
}

/* Commands that Linux does not issue stand in the full set only, as do the counters marked so. */
static bool
printed(const struct out_options *o, const struct pdh_counter *counter)
{
	return o->all || !(counter->all_only || counter->column == NULL);
}

static void
add_cells(struct pdh_plan *plan, struct pdh_instance *instance, const struct out_options *o, const struct row *row,
    size_t *lacking)
{
	const struct pdh_object *object = instance->object;

	if (plan->n_cells + object->n_counters > plan->cap_cells) {
		plan->cap_cells = plan->cap_cells * 2 + object->n_counters;
		plan->cells = xreallocarray(plan->cells, plan->cap_cells, sizeof(*plan->cells));
	}
	instance->first = plan->n_cells;
	for (size_t i = 0; i < object->n_counters; i++) {
		if (!printed(o, &object->counters[i]))
			continue;
		if (make_cell(&object->counters[i], row, &plan->cells[plan->n_cells]))
			plan->n_cells++;
		else
			lacking[i]++;
	}
	instance->n = plan->n_cells - instance->first;
}

static const char *
instance_name(const struct pdh_object *object, const struct out_options *o, const struct object *from)
{
	size_t strip = object->strip != NULL ? strlen(object->strip) : 0;

	if (object->instance != NULL)
		return object->instance[0] != '\0' ? object->instance : NULL;
	if (strip > 0 && strncmp(from->name, object->strip, strip) == 0 && from->name[strip] != '\0')
		return from->name + strip;
	return object_display_name(from, o->naming);
}

static void
note_left_out(const struct out_options *o, const struct pdh_object *object, const size_t *lacking, size_t rows)
{
	char *lead = xasprintf("%s: left out, no source:", object->name);
	struct note note = { .options = o, .lead = lead };

	for (size_t i = 0; i < object->n_counters; i++) {
		char *some = xasprintf("%s (%zu of %zu)", object->counters[i].name, lacking[i], rows);

		if (lacking[i] > 0)
			note_add(&note, lacking[i] < rows ? some : object->counters[i].name);
		free(some);
	}
	note_end(&note);
	free(lead);
}

static void
add_section(struct pdh_plan *plan, const struct section *s, const struct out_options *o, const struct choice *choice,
    const struct interval *interval)
{
	const struct choice_table *table = &choice->tables[s->table];
	size_t *lacking = xcalloc(s->object->n_counters, sizeof(*lacking)), rows = 0;

	plan->instances = xreallocarray(plan->instances, plan->n + table->n, sizeof(*plan->instances));
	for (size_t i = 0; i < table->n; i++) {
		struct pdh_instance *instance = &plan->instances[plan->n];
		const struct object *from = table->rows[i].object;
		const char *name = instance_name(s->object, o, from);

		if (!member(s->object, &table->rows[i]))
			continue;
		rows++;
		*instance = (struct pdh_instance) {
			.object = s->object, .kind = table->kind, .uid = from->uid, .table = s->table, .row = i
		};
		add_cells(plan, instance, o, &interval->tables[s->table].rows[i], lacking);
		if (instance->n == 0)
			continue;
		instance->name = name != NULL ? escape_pdh(name) : NULL;
		instance->identity = xstrdup(from->identity);
		plan->n++;
	}
	if (!s->again)
		note_left_out(o, s->object, lacking, rows);
	free(lacking);
}

static void
note_kinds(const struct out_options *o, const struct choice *choice)
{
	struct note note = { .options = o, .lead = "in tidy and JSON only, not known to esxtop:" };

	for (size_t i = 0; i < choice->n; i++)
		if (choice->tables[i].wanted && choice->tables[i].n > 0 && choice->tables[i].kind->n_pdh == 0)
			note_add(&note, choice->tables[i].kind->key);
	note_end(&note);
}

void
pdh_plan_make(struct pdh_plan *plan, const struct out_options *o, const struct choice *choice,
    const struct interval *interval)
{
	size_t n;
	struct section *all = sections(choice, &n);

	for (size_t i = 0; i < n; i++) {
		all[i].again = i > 0 && strcmp(all[i - 1].object->name, all[i].object->name) == 0;
		add_section(plan, &all[i], o, choice, interval);
	}
	free(all);
	pdh_names_settle(plan, choice);
	note_kinds(o, choice);
	pdh_plan_remember(plan, choice);
}

void
pdh_plan_header(const struct pdh_plan *plan, const char *host, struct line *l)
{
	char *safe = escape_pdh(host);

	line_text(l, "\"(PDH-CSV 4.0) (UTC)(0)\"");
	for (size_t i = 0; i < plan->n; i++) {
		const struct pdh_instance *instance = &plan->instances[i];

		for (size_t k = 0; k < instance->n; k++) {
			line_text(l, ",\"\\\\");
			line_text(l, safe);
			line_char(l, '\\');
			line_text(l, instance->object->name);
			if (instance->name != NULL) {
				line_char(l, '(');
				line_text(l, instance->name);
				line_char(l, ')');
			}
			line_char(l, '\\');
			line_text(l, plan->cells[instance->first + k].name);
			line_char(l, '"');
		}
	}
	line_char(l, '\n');
	free(safe);
}

void
pdh_plan_free(struct pdh_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++) {
		free(plan->instances[i].name);
		free(plan->instances[i].identity);
	}
	free(plan->instances);
	free(plan->cells);
	uidmap_clear(&plan->seen);
	*plan = (struct pdh_plan) { 0 };
}

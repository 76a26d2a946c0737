#include "core/stall.h"

#include <stdlib.h>

#include "core/xalloc.h"

/* An object that has something in flight and completed nothing, interval after interval. */
struct standing {
	uint64_t uid;
	uint64_t ns;		/* so long already */
	unsigned intervals;
	bool met;		/* in the interval at hand */
};

struct stall {
	size_t n;
	struct standing *list;
};

struct stall *
stall_new(void)
{
	return xcalloc(1, sizeof(struct stall));
}

void
stall_free(struct stall *s)
{
	if (s == NULL)
		return;
	free(s->list);
	free(s);
}

static double
sum_of(const struct row *row, uint64_t mask)
{
	double sum = 0;

	for (; mask != 0; mask &= mask - 1)
		sum += row->cells[__builtin_ctzll(mask)];
	return sum;
}

/* Few stand at any time, so a list is searched. */
static struct standing *
find(struct stall *s, uint64_t uid)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->list[i].uid == uid)
			return &s->list[i];
	return NULL;
}

static struct standing *
add(struct stall *s, uint64_t uid)
{
	s->list = xreallocarray(s->list, s->n + 1, sizeof(*s->list));
	s->list[s->n] = (struct standing){ .uid = uid };
	return &s->list[s->n++];
}

static void
stands(struct stall *s, struct interval *v, const struct kind *kind, struct row *row)
{
	struct standing *it = find(s, row->object->uid);

	if (it == NULL)
		it = add(s, row->object->uid);
	it->met = true;
	it->ns += row->ns;
	it->intervals++;
	if (it->intervals < 2)
		return;
	row->stalled_ns = it->ns;
	if (it->intervals == 2 && kind_speaks(kind))
		interval_event(v, EVENT_STALL, row->object, "%s: %.0f in flight, nothing completed for %.1f s",
		    row->object->name, sum_of(row, kind->in_flight), (double)it->ns / 1e9);
}

static void
moves(struct stall *s, struct interval *v, const struct kind *kind, const struct row *row)
{
	const struct standing *it = s->n > 0 ? find(s, row->object->uid) : NULL;

	if (it != NULL && it->intervals >= 2 && kind_speaks(kind))
		interval_event(v, EVENT_RESUME, row->object, "%s: completes again after %.1f s",
		    row->object->name, (double)it->ns / 1e9);
}

static void
watch_table(struct stall *s, struct interval *v, const struct interval_table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct row *row = &t->rows[i];
		/* Older kernels do not count discards and flushes; what they count decides. */
		bool standing = sum_of(row, t->kind->in_flight) > 0;

		for (uint64_t mask = t->kind->completed | t->kind->alive; mask != 0 && standing; mask &= mask - 1)
			standing = !(row->cells[__builtin_ctzll(mask)] > 0);
		row->stalled_ns = 0;
		if (standing)
			stands(s, v, t->kind, row);
		else
			moves(s, v, t->kind, row);
	}
}

void
stall_watch(struct stall *s, struct interval *v)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++)
		s->list[i].met = false;
	for (size_t i = 0; i < v->n_tables; i++)
		if (v->tables[i].kind->in_flight != 0)
			watch_table(s, v, &v->tables[i]);
	for (size_t i = 0; i < s->n; i++)
		if (s->list[i].met)
			s->list[kept++] = s->list[i];
	s->n = kept;
}

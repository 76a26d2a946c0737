#include "session/history.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/column.h"
#include "core/xalloc.h"

/*
 * The columns of each figure, by key: the first the kind has. Keys are the same for all kinds that do block
 * I/O; a kind without any of them has no history.
 */
static const char *const figure_keys[HISTORY_FIGURES][2] = {
	[HISTORY_IOPS] = { "cmds_s", "used_pct" },
	[HISTORY_IOPS_READ] = { "reads_s", "pktrx_s" },
	[HISTORY_IOPS_WRITE] = { "writes_s", "pkttx_s" },
	[HISTORY_MB_READ] = { "mbread_s", "mbrx_s" },
	[HISTORY_MB_WRITE] = { "mbwrtn_s", "mbtx_s" },
	[HISTORY_GAVG] = { "gavg", "davg" },
	[HISTORY_GAVG_READ] = { "gavg_rd", "davg_rd" },
	[HISTORY_GAVG_WRITE] = { "gavg_wr", "davg_wr" },
};

/* Rates are 0 at rest, latencies are unknown. */
static float
at_rest(enum history_figure f)
{
	return f >= HISTORY_GAVG ? NAN : 0;
}

struct track {
	uint64_t uid;
	const struct kind *kind;
	uint64_t born;		/* number of its first tick */
	uint64_t seen;		/* and of the last */
	uint64_t busy;		/* and of the last one that it was not at rest in */
	bool unknown;		/* there was no ring left for it */
	uint16_t (*ring)[HISTORY_FIGURES];	/* NULL: all of it at rest, or unknown */
};

/* The upper half of a float, rounded. */
static uint16_t
pack(float figure)
{
	uint32_t bits;

	if (isnan(figure))
		figure = NAN;
	memcpy(&bits, &figure, sizeof(bits));
	return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static float
unpack(uint16_t half)
{
	uint32_t bits = (uint32_t)half << 16;
	float figure;

	memcpy(&figure, &bits, sizeof(figure));
	return figure;
}

struct columns {
	const struct kind *kind;
	int of[HISTORY_FIGURES];	/* -1: none */
	bool any;
	uint64_t sampled;	/* tick in which the kind was sampled last */
};

struct history {
	size_t samples;
	uint64_t tick;		/* number of the tick being fed, from 1 */
	size_t n, cap;		/* cap: a power of two; open addressing, uid 0 is free */
	size_t n_rings;
	struct track *tracks;
	size_t n_kinds;
	struct columns *kinds;
};

struct history *
history_new(size_t samples)
{
	struct history *h = xcalloc(1, sizeof(*h));

	h->samples = samples;
	h->cap = 64;
	h->tracks = xcalloc(h->cap, sizeof(*h->tracks));
	return h;
}

void
history_free(struct history *h)
{
	if (h == NULL)
		return;
	for (size_t i = 0; i < h->cap; i++)
		free(h->tracks[i].ring);
	free(h->tracks);
	free(h->kinds);
	free(h);
}

/* Its slot, or the free one where it belongs. */
static struct track *
slot(const struct history *h, uint64_t uid)
{
	size_t i = (size_t)(uid * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (h->cap - 1);

	while (h->tracks[i].uid != 0 && h->tracks[i].uid != uid)
		i = (i + 1) & (h->cap - 1);
	return &h->tracks[i];
}

static void
drop_ring(struct history *h, struct track *t)
{
	h->n_rings -= t->ring != NULL;
	free(t->ring);
	t->ring = NULL;
}

/* Moves the tracks that are kept into a table of the new size. */
static void
rebuild(struct history *h, size_t cap, bool (*keep)(const struct history *, const struct track *))
{
	struct history fresh = *h;

	fresh.cap = cap;
	fresh.tracks = xcalloc(cap, sizeof(*fresh.tracks));
	fresh.n = 0;
	for (size_t i = 0; i < h->cap; i++) {
		struct track *t = &h->tracks[i];

		if (t->uid == 0)
			continue;
		if (keep != NULL && !keep(h, t)) {
			drop_ring(&fresh, t);
			continue;
		}
		*slot(&fresh, t->uid) = *t;
		fresh.n++;
	}
	free(h->tracks);
	*h = fresh;
}

static struct columns *
columns_of(struct history *h, const struct kind *kind)
{
	struct columns *c;

	for (size_t i = 0; i < h->n_kinds; i++)
		if (h->kinds[i].kind == kind)
			return &h->kinds[i];
	h->kinds = xreallocarray(h->kinds, h->n_kinds + 1, sizeof(*h->kinds));
	c = &h->kinds[h->n_kinds++];
	*c = (struct columns) { .kind = kind };
	for (int f = 0; f < HISTORY_FIGURES; f++) {
		c->of[f] = -1;
		for (int i = 0; i < 2 && c->of[f] < 0 && figure_keys[f][i] != NULL; i++)
			c->of[f] = kind_column(kind, figure_keys[f][i]);
		c->any = c->any || c->of[f] >= 0;
	}
	return c;
}

static struct track *
track_of(struct history *h, const struct row *row)
{
	struct track *t = slot(h, row->object->uid);

	if (t->uid != 0)
		return t;
	if (2 * h->n >= h->cap) {
		rebuild(h, h->cap * 2, NULL);
		t = slot(h, row->object->uid);
	}
	*t = (struct track) { .uid = row->object->uid, .kind = row->object->kind, .born = h->tick };
	h->n++;
	return t;
}

/* The first figures that are not at rest: what lay before was, as far as it is known. */
static void
wake(struct history *h, struct track *t)
{
	if (h->n_rings == HISTORY_BUSY) {
		t->unknown = true;
		return;
	}
	h->n_rings++;
	t->ring = xreallocarray(NULL, h->samples, sizeof(*t->ring));
	for (size_t i = 0; i < h->samples; i++)
		for (int f = 0; f < HISTORY_FIGURES; f++)
			t->ring[i][f] = pack(t->unknown ? NAN : at_rest((enum history_figure)f));
	t->unknown = false;
}

/* Ticks in which it was not there are holes. */
static void
fill_holes(struct history *h, struct track *t)
{
	uint64_t from = t->seen + 1;

	if (h->tick - from > h->samples)
		from = h->tick - h->samples;
	if (t->ring == NULL)
		wake(h, t);
	for (uint64_t k = from; t->ring != NULL && k < h->tick; k++)
		for (int f = 0; f < HISTORY_FIGURES; f++)
			t->ring[k % h->samples][f] = pack(NAN);
	t->busy = h->tick - 1;
}

static void
feed_row(struct history *h, const struct columns *c, const struct row *row)
{
	struct track *t = track_of(h, row);
	uint16_t figures[HISTORY_FIGURES];
	bool rest = true;

	for (int f = 0; f < HISTORY_FIGURES; f++) {
		float figure = (float)column_at(c->kind, c->of[f], row);

		rest = rest && (isnan(figure) ? c->of[f] < 0 || f >= HISTORY_GAVG : figure == 0);
		figures[f] = pack(figure);
	}
	if (t->seen != 0 && t->seen + 1 < h->tick)
		fill_holes(h, t);
	if (!rest)
		t->busy = h->tick;
	if (t->ring == NULL && !rest)
		wake(h, t);
	if (h->tick - t->busy >= h->samples) {
		drop_ring(h, t);
		t->unknown = false;
	}
	if (t->ring != NULL)
		memcpy(t->ring[h->tick % h->samples], figures, sizeof(figures));
	t->seen = h->tick;
}

/* Absent for a while from its table, which was there: gone. */
static bool
still_there(const struct history *h, const struct track *t)
{
	uint64_t sampled = h->tick;

	for (size_t i = 0; i < h->n_kinds; i++)
		if (h->kinds[i].kind == t->kind)
			sampled = h->kinds[i].sampled;
	return t->seen + HISTORY_FORGET > sampled;
}

void
history_feed(struct history *h, const struct interval *interval)
{
	h->tick++;
	for (size_t i = 0; i < interval->n_tables; i++) {
		const struct interval_table *table = &interval->tables[i];
		struct columns *c = columns_of(h, table->kind);

		c->sampled = h->tick;
		for (size_t k = 0; c->any && k < table->n; k++)
			feed_row(h, c, &table->rows[k]);
	}
	if (h->tick % HISTORY_FORGET == 0)
		rebuild(h, h->cap, still_there);
}

/* The figure of tick k, NaN outside the track's life. */
static float
figure_at(const struct history *h, const struct track *t, enum history_figure f, uint64_t k)
{
	if (k < t->born || k > t->seen)
		return NAN;
	if (t->unknown)
		return NAN;
	return t->ring != NULL ? unpack(t->ring[k % h->samples][f]) : at_rest(f);
}

size_t
history_get(const struct history *h, uint64_t uid, enum history_figure f, float *out, size_t n)
{
	const struct track *t = slot(h, uid);
	size_t have = 0;

	for (size_t i = 0; i < n; i++)
		out[i] = NAN;
	if (t->uid == 0 || uid == 0)
		return 0;
	for (size_t back = 0; back < n && back < h->samples && back < h->tick; back++) {
		uint64_t k = h->tick - back;

		if (k < t->born)
			break;
		out[n - 1 - back] = figure_at(h, t, f, k);
		have = back + 1;
	}
	return have;
}

size_t
history_objects(const struct history *h)
{
	return h->n;
}

/* overview (o): all I/O of the machine, what it costs, the busiest devices and the sickest. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/column.h"
#include "core/format.h"
#include "core/kinds/kinds.h"
#include "views/panels.h"
#include "views/screen.h"
#include "views/text.h"
#include "views/view.h"

#define CPU_SPARK 8

static const char *const fields[] = {
	"cmds_s", "reads_s", "writes_s", "mbread_s", "mbwrtn_s", "gavg", NULL
};

static const enum label_id what[] = {
	LABEL_NOTE, LABEL_MAPPER, LABEL_VENDOR, LABEL_MODEL, LABEL_BACKING, LABEL_STATE, LABEL_MOUNT,
	LABEL_EXPORT, LABEL_VERSION, LABEL_TRANSPORT, LABEL_NCONNECT, LABEL_NONE
};

static const struct row *
first_row(const struct screen *s, const struct kind *kind)
{
	const struct interval_table *t = interval_table(s->shown, kind);

	return t != NULL && t->n > 0 ? &t->rows[0] : NULL;
}

static void
find_worst(const struct screen *s, const struct kind *kind, const struct row **worst)
{
	const struct interval_table *t = interval_table(s->shown, kind);
	int gavg = kind_column_flagged(kind, COLUMN_GAVG);

	for (size_t i = 0; t != NULL && i < t->n; i++) {
		const struct row *row = &t->rows[i], *so_far = *worst;
		double ms = column_at(kind, gavg, row), most = 0;

		if (!view_counted(row->object))
			continue;
		if (so_far != NULL)
			most = column_at(so_far->object->kind, kind_column_flagged(so_far->object->kind, COLUMN_GAVG), so_far);
		if (row->stalled_ns > (so_far != NULL ? so_far->stalled_ns : 0) ||
		    (ms > most && (so_far == NULL || so_far->stalled_ns == 0)))
			*worst = row;
	}
}

/* The device or mount with the worst latency: one that stands still before all others. */
static const struct row *
worst_row(const struct screen *s)
{
	const struct row *worst = NULL;

	find_worst(s, &kind_disk, &worst);
	find_worst(s, &kind_nfs_mount, &worst);
	return worst;
}

/* "usr 8" with a dim name; returns the columns used. Nothing where it is not known. */
static int
draw_share(struct surface *surface, int y, int x, const char *name, const struct row *row, const char *key)
{
	double value = column_figure(row, key);
	char text[FORMAT_MAX];
	int start = x;

	if (isnan(value) || x + (int)strlen(name) + 5 > surface->cols)
		return 0;
	snprintf(text, sizeof(text), "%.0f", value);
	x += surface_text(surface, y, x, STYLE_DIM, name) + 1;
	x += surface_text(surface, y, x, STYLE_NORMAL, text) + 2;
	return x - start;
}

static int
draw_cpu(struct screen *s, struct surface *surface, int y, int x)
{
	const struct row *cpu = first_row(s, &kind_cpu_total);
	enum charset charset = charset_for(s->charts, surface->utf8);
	float values[2 * CPU_SPARK];
	size_t n = chart_samples(charset, CPU_SPARK);

	if (cpu == NULL)
		return x;
	x += draw_share(surface, y, x, "CPU %", cpu, "used_pct");
	if (s->history != NULL && surface->cols >= 60) {
		history_get(s->history, cpu->object->uid, HISTORY_IOPS, values, n);
		chart_spark(surface, y, x, CPU_SPARK, charset, STYLE_GRAPH, values, n, 100);
		x += CPU_SPARK + 2;
	}
	x += draw_share(surface, y, x, "usr", cpu, "usr_pct");
	x += draw_share(surface, y, x, "sys", cpu, "sys_pct");
	x += draw_share(surface, y, x, "iowait", cpu, "iowait_pct");
	return x;
}

/* What the load costs the host, in one line. */
static void
draw_host(struct screen *s, struct surface *surface, int y)
{
	const struct row *host = first_row(s, &kind_host);
	int x = draw_cpu(s, surface, y, 1);

	if (host == NULL)
		return;
	x += draw_share(surface, y, x, "memory %", host, "mem_pct");
	if (x + 23 > surface->cols)
		return;
	x += draw_share(surface, y, x, "io pressure %", host, "io_some_pct");
	draw_share(surface, y, x, "full", host, "io_full_pct");
}

/* The table keeps at least six lines; what is left above it decides how much is drawn there. */
static int
head(struct screen *s, struct surface *surface, int y, int rows)
{
	struct panels panels = {
		.history = s->history,
		.charset = charset_for(s->charts, surface->utf8),
		.row = screen_total(s),
		.worst = worst_row(s),
		.verdicts = s->verdicts,
	};
	int charts = (rows - 8) / 3, used;

	if (panels.row == NULL)
		return 0;
	if (rows < 9 || s->history == NULL) {
		if (rows < 3)
			return 0;
		panels_line(&panels, surface, y);
		return 1;
	}
	if (rows < 15 || surface->cols < 64) {
		used = panels_compact(&panels, surface, y, 3);
		if (rows < 12)
			return used;
		draw_host(s, surface, y + used);
		return used + 2;
	}
	charts = charts < 3 ? 3 : charts > 10 ? 10 : charts;
	panels_draw(&panels, surface, y, charts + 2);
	draw_host(s, surface, y + charts + 2);
	return charts + 4;
}

const struct view view_overview = {
	.name = "overview",
	.key = 'o',
	.kind = &kind_disk,
	.also = &kind_nfs_mount,
	.name_title = "BUSIEST",
	.fields = fields,
	.top = view_counted,
	.spark = true,
	.what = what,
	.what_adapter = true,
	.head = head,
};

/* What is seen on the wire, below the NFS mounts and the iSCSI sessions: the flows, under a line on how well they are seen. */
#include "views/wire.h"

#include <math.h>

#include "core/column.h"
#include "core/format.h"
#include "core/kinds/kinds.h"
#include "views/screen.h"

const struct view view_nfs_wire = {
	.name = "nfs_wire",
	.key = 'm',
	.kind = &kind_nfs_flow,
	.name_title = "CLIENT > SERVER",
	.tree = TREE_DEVICES,
	.empty = "no NFS seen yet",
};

const struct view view_iscsi_wire = {
	.name = "iscsi_wire",
	.key = 'i',
	.kind = &kind_iscsi_flow,
	.name_title = "INITIATOR > PORTAL",
	.tree = TREE_DEVICES,
	.empty = "no iSCSI seen yet",
};

bool
wire_watched(const struct screen *s)
{
	const struct interval_table *t = s->shown != NULL ? interval_table(s->shown, &kind_capture) : NULL;

	return t != NULL;
}

/* What makes figures incomplete: the first of these that is above 0 is said. */
static int
draw_losses(struct surface *surface, int y, int x, const struct row *row)
{
	static const struct {
		const char *key, *words;
	} losses[] = { { "gaps_s", "gaps" }, { "trunc_s", "cut" }, { "malf_s", "damaged" } };
	double dropped = column_figure(row, "dropped_pct");

	if (dropped > 0)
		return surface_print(surface, y, x, STYLE_WARN, "dropped %.2g %%, figures incomplete  ", dropped);
	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		double lost = column_figure(row, losses[i].key);

		if (lost > 0)
			return surface_print(surface, y, x, STYLE_WARN, lost < 10 ? "0 dropped, %.2g %s/s, figures incomplete  " :
			    "0 dropped, %.0f %s/s, figures incomplete  ", lost, losses[i].words);
	}
	return surface_text(surface, y, x, STYLE_NORMAL, isnan(column_figure(row, "packets_s")) ? "- dropped  " : "0 dropped  ");
}

/* "eth1 12400 packets/s 0 dropped health 100 %" */
static int
draw_capture(struct surface *surface, int y, int x, const struct row *row)
{
	double health = column_figure(row, "health_pct"), packets = column_figure(row, "packets_s");

	x += surface_print(surface, y, x, STYLE_STRONG, "%s ", row->object->name);
	if (isnan(packets))
		x += surface_text(surface, y, x, STYLE_NORMAL, "- packets/s  ");
	else
		x += surface_print(surface, y, x, STYLE_NORMAL, "%.0f packets/s  ", packets);
	x += draw_losses(surface, y, x, row);
	if (!isnan(health))
		x += surface_print(surface, y, x, health < 99 ? STYLE_WARN : STYLE_NORMAL, "health %.0f %%  ", health < 0 ? 0 : health);
	return x;
}

void
wire_head(const struct screen *s, struct surface *surface, int y)
{
	const struct interval_table *t = interval_table(s->shown, &kind_capture);
	int x = 1 + surface_text(surface, y, 1, STYLE_TITLE, "ON THE WIRE  ");

	for (size_t i = 0; t != NULL && i < t->n; i++)
		x = draw_capture(surface, y, x, &t->rows[i]);
	if (t == NULL || t->n == 0)
		surface_text(surface, y, x, STYLE_WARN, "no interface is captured");
}

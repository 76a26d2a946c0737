/* CPU (c): what the storage costs, core by core. */
#include "core/kinds/kinds.h"
#include "views/panels.h"
#include "views/screen.h"
#include "views/view.h"

static int
head(struct screen *s, struct surface *surface, int y, int rows)
{
	const struct interval_table *t = interval_table(s->shown, &kind_cpu_total);
	struct panels panels = { .history = s->history, .charset = charset_for(s->charts, surface->utf8) };

	if (t == NULL || t->n == 0 || rows < 8 || s->history == NULL)
		return 0;
	panels.row = &t->rows[0];
	return panels_compact(&panels, surface, y, 1) + 1;
}

const struct view view_cpu = {
	.name = "cpu",
	.key = 'c',
	.kind = &kind_cpu,
	.name_title = "CORE",
	.spark = true,
	.head = head,
};

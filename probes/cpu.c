/* The cores and how they spend their time. */
#include <stdlib.h>
#include <string.h>

#include "core/kinds/kinds.h"
#include "core/xalloc.h"
#include "probes/cpu_parse.h"
#include "probes/probe.h"
#include "probes/lineup.h"

/*
 * A counter that falls by less is held where it was. Idle and iowait are taken from clocks that another
 * core may be setting and are known to step back a little (proc(5)); user without guest is the
 * difference of two counters that the kernel rounds down each for itself. A real reset loses more.
 */
#define STEP_BACK 1000

struct cpu_probe {
	struct probe probe;
	struct kept_file stat;
	struct lineup lineup;
};

static int
cpu_open(struct probe *probe)
{
	struct cpu_probe *cpu = (struct cpu_probe *)probe;

	cpu->stat = (struct kept_file)KEPT_SEQ_FILE("/proc/stat");
	return 0;
}

static void
hold(const uint64_t last[static CPU_METRICS], uint64_t now[static CPU_METRICS])
{
	for (int i = 0; i < CPU_METRICS; i++) {
		if (now[i] < last[i] && last[i] != ABSENT && last[i] - now[i] < STEP_BACK)
			now[i] = last[i];
	}
}

static struct object *
core_new(const struct cpu_line *line)
{
	char *name = xstrndup(line->name, line->name_len);
	struct object *core = object_new(&kind_cpu, 0, name, name);

	free(name);
	return core;
}

static void
add(struct cpu_probe *cpu, struct snapshot_table *table, struct cpu_line *line)
{
	struct lineup_entry *entry = lineup_take(&cpu->lineup, line->name, line->name_len);

	if (entry == NULL)
		return;
	if (entry->object == NULL) {
		entry->object = core_new(line);
		entry->data = xmalloc(sizeof(line->cells));
	} else {
		hold(entry->data, line->cells);
	}
	memcpy(entry->data, line->cells, sizeof(line->cells));
	memcpy(snapshot_add(table, entry->object), line->cells, sizeof(line->cells));
}

static int
cpu_sample(struct probe *probe, struct snapshot *snapshot)
{
	struct cpu_probe *cpu = (struct cpu_probe *)probe;
	struct cpu_cursor cursor = { 0 };
	struct snapshot_table *table;
	struct cpu_line line;
	int rc = kept_file_read(probe->env, &cpu->stat);

	if (rc < 0)
		return probe_cannot(probe, cpu->stat.path, rc);
	probe->why[0] = '\0';
	table = snapshot_table(snapshot, &kind_cpu);
	cursor.p = cpu->stat.buf;
	cursor.end = cursor.p + cpu->stat.len;
	lineup_begin(&cpu->lineup);
	while (cpu_next(&cursor, &line))
		add(cpu, table, &line);
	lineup_end(&cpu->lineup);
	if (cursor.skipped > 0)
		probe_why(probe, "%s: %zu lines not understood", cpu->stat.path, cursor.skipped);
	return 0;
}

static void
cpu_close(struct probe *probe)
{
	struct cpu_probe *cpu = (struct cpu_probe *)probe;

	kept_file_close(&cpu->stat);
	lineup_clear(&cpu->lineup);
}

static const struct kind *const cpu_kinds[] = { &kind_cpu, NULL };

const struct probe_ops probe_cpu = {
	.name = "cpu",
	.what = "time of the cores, from /proc/stat",
	.kinds = cpu_kinds,
	.size = sizeof(struct cpu_probe),
	.open = cpu_open,
	.sample = cpu_sample,
	.close = cpu_close,
};

#include "tests/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/kinds/kinds.h"
#include "core/xalloc.h"

#define PER_ADAPTER 100

double
bench_cpu_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double
bench_median(double *values, size_t n)
{
	qsort(values, n, sizeof *values, compare);
	return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double
bench_repeat(double (*run)(void *), void *arg)
{
	double values[BENCH_ROUNDS];

	for (size_t i = 0; i < BENCH_ROUNDS; i++)
		values[i] = run(arg);
	return bench_median(values, BENCH_ROUNDS);
}

void
bench_line(const char *what, double value, const char *unit, double at_most)
{
	printf("%-52s %10.*f %-16s", what, value < 10 ? 2 : value < 1000 ? 1 : 0, value, unit);
	if (at_most > 0)
		printf(" bar %g%s", at_most, value > at_most ? "  OVER" : "");
	putchar('\n');
	fflush(stdout);
}

struct bench_machine {
	size_t n_disks, n_adapters;
	double ios;		/* of one disk in a second */
	struct object **adapters, **disks, **partitions;
	uint64_t *counters;	/* of the disks; a partition has its disk's */
	struct stamp stamp;
	uint64_t seed;
};

static struct object *
make_object(const struct kind *kind, uint64_t parent, uint64_t counts_in, size_t i)
{
	char name[32];
	struct object *o;

	snprintf(name, sizeof name, "%s%zu", kind->key, i);
	o = object_new(kind, 0, name, name);
	o->parent = parent;
	o->counts_in = counts_in;
	return o;
}

struct bench_machine *
bench_machine_new(size_t disks, double iops)
{
	struct bench_machine *m = xcalloc(1, sizeof *m);

	m->n_disks = disks;
	m->n_adapters = (disks + PER_ADAPTER - 1) / PER_ADAPTER;
	m->ios = iops / (double)disks;
	m->adapters = xcalloc(m->n_adapters, sizeof(struct object *));
	m->disks = xcalloc(disks, sizeof(struct object *));
	m->partitions = xcalloc(disks, sizeof(struct object *));
	m->counters = xcalloc(disks, DISK_METRICS * sizeof(uint64_t));
	m->seed = 1;
	m->stamp = (struct stamp) { .mono_ns = 1000000000, .boot_ns = 1000000000, .wall_ms = (int64_t)time(NULL) * 1000 };
	for (size_t i = 0; i < m->n_adapters; i++)
		m->adapters[i] = make_object(&kind_adapter, 0, 0, i);
	for (size_t i = 0; i < disks; i++) {
		uint64_t adapter = m->adapters[i / PER_ADAPTER]->uid;

		m->disks[i] = make_object(&kind_disk, adapter, adapter, i);
		m->partitions[i] = make_object(&kind_partition, m->disks[i]->uid, 0, i);
	}
	return m;
}

void
bench_machine_free(struct bench_machine *m)
{
	for (size_t i = 0; i < m->n_adapters; i++)
		object_unref(m->adapters[i]);
	for (size_t i = 0; i < m->n_disks; i++) {
		object_unref(m->disks[i]);
		object_unref(m->partitions[i]);
	}
	free(m->adapters);
	free(m->disks);
	free(m->partitions);
	free(m->counters);
	free(m);
}

/* From 0.5 to 1.5 of the mean, the same in every run. */
static uint64_t
about(struct bench_machine *m, double mean)
{
	m->seed = m->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint64_t)(mean * (0.5 + (double)(m->seed >> 40) / (double)(1 << 24)));
}

/* A second of random reads, 70 %, of 4 to 12 KiB, and writes of 8 to 24 KiB, a millisecond each. */
static void
work(struct bench_machine *m, uint64_t *c)
{
	uint64_t reads = about(m, m->ios * 0.7), writes = about(m, m->ios * 0.3);

	c[DISK_READS] += reads;
	c[DISK_READ_SECTORS] += about(m, (double)reads * 16);
	c[DISK_READ_MS] += about(m, (double)reads);
	c[DISK_WRITES] += writes;
	c[DISK_WRITES_MERGED] += about(m, (double)writes / 5);
	c[DISK_WRITE_SECTORS] += about(m, (double)writes * 32);
	c[DISK_WRITE_MS] += about(m, (double)writes);
	c[DISK_IN_FLIGHT] = about(m, 8);
	c[DISK_BUSY_MS] += about(m, 700);
	c[DISK_WEIGHTED_MS] += reads + writes;
	c[DISK_FLUSHES] += about(m, 4);
	c[DISK_FLUSH_MS] += about(m, 8);
}

static void
add_row(struct snapshot_table *t, struct object *o, const uint64_t *counters)
{
	uint64_t *cells = snapshot_add(t, o);

	for (size_t i = 0; i < DISK_DIRECT; i++)
		cells[i] = counters[i];
	if (t->kind == &kind_partition)	/* the kernel counts these for whole devices only */
		cells[DISK_FLUSHES] = cells[DISK_FLUSH_MS] = ABSENT;
}

struct snapshot *
bench_machine_next(struct bench_machine *m)
{
	struct snapshot *s;
	struct snapshot_table *t;

	m->stamp.mono_ns += 1000000000;
	m->stamp.boot_ns += 1000000000;
	m->stamp.wall_ms += 1000;
	s = snapshot_new(&m->stamp);
	t = snapshot_table(s, &kind_disk);
	for (size_t i = 0; i < m->n_disks; i++) {
		work(m, m->counters + i * DISK_METRICS);
		add_row(t, m->disks[i], m->counters + i * DISK_METRICS);
	}
	t = snapshot_table(s, &kind_partition);
	for (size_t i = 0; i < m->n_disks; i++)
		add_row(t, m->partitions[i], m->counters + i * DISK_METRICS);
	t = snapshot_table(s, &kind_adapter);
	for (size_t i = 0; i < m->n_adapters; i++)
		snapshot_add(t, m->adapters[i]);
	return s;
}

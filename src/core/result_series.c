/*
 * The series of a result: what is left of a run whose ticks are gone.
 */
#include <math.h>

#include "core/kinds/kinds.h"
#include "core/result.h"

#define MIB (1 << 20)
#define SECTORS_PER_MIB 2048
#define NS_PER_MS 1e6

/* Of no I/Os the time is known. */
static double
time_of(double ios, double mean)
{
	return ios > 0 ? ios * mean : 0;
}

static void
fill_test(double *cells, const struct result_point *p)
{
	double reads = p->read_iops * p->seconds, writes = p->write_iops * p->seconds;

	cells[WORKER_READS] = reads;
	cells[WORKER_WRITES] = writes;
	cells[WORKER_READ_BYTES] = p->read_mib_s * p->seconds * MIB;
	cells[WORKER_WRITE_BYTES] = p->write_mib_s * p->seconds * MIB;
	cells[WORKER_READ_NS] = time_of(reads, p->gavg_rd_ms) * NS_PER_MS;
	cells[WORKER_WRITE_NS] = time_of(writes, p->gavg_wr_ms) * NS_PER_MS;
}

static void
fill_device(double *cells, const struct result_point *p)
{
	double reads = p->device_read_iops * p->seconds, writes = p->device_write_iops * p->seconds;

	cells[DISK_READS] = reads;
	cells[DISK_WRITES] = writes;
	cells[DISK_READ_SECTORS] = p->device_read_mib_s * p->seconds * SECTORS_PER_MIB;
	cells[DISK_WRITE_SECTORS] = p->device_write_mib_s * p->seconds * SECTORS_PER_MIB;
	cells[DISK_READ_MS] = time_of(reads, p->device_gavg_rd_ms);
	cells[DISK_WRITE_MS] = time_of(writes, p->device_gavg_wr_ms);
}

struct interval *
result_point_interval(const struct result_point *p, const struct stamp *end, struct object *test, struct object *device)
{
	uint64_t ns = (uint64_t)llround(p->seconds * 1e9);
	struct interval *v = interval_new(end, ns);
	struct row *row;

	if (device != NULL && !isnan(p->device_read_iops)) {
		row = &interval_make_table(v, &kind_disk, 1, ns)->rows[0];
		row->object = object_ref(device);
		fill_device(row->cells, p);
	}
	row = &interval_make_table(v, &kind_load, 1, ns)->rows[0];
	row->object = object_ref(test);
	fill_test(row->cells, p);
	return v;
}

static double
mean_of(double a, double weight_a, double b, double weight_b)
{
	double sum = time_of(weight_a, a) + time_of(weight_b, b);

	return weight_a + weight_b > 0 ? sum / (weight_a + weight_b) : NAN;
}

/* Of means the weights are I/Os, of rates the seconds. */
void
result_point_add(struct result_point *a, const struct result_point *b)
{
	double s = a->seconds, t = b->seconds;

#define MEAN(mean, iops) a->mean = mean_of(a->mean, s * (a->iops), b->mean, t * (b->iops))
#define RATE(rate) a->rate = mean_of(a->rate, s, b->rate, t)
	a->mean_ms = mean_of(a->mean_ms, s * (a->read_iops + a->write_iops), b->mean_ms, t * (b->read_iops + b->write_iops));
	a->device_gavg_ms = mean_of(a->device_gavg_ms, s * (a->device_read_iops + a->device_write_iops), b->device_gavg_ms,
	    t * (b->device_read_iops + b->device_write_iops));
	MEAN(gavg_rd_ms, read_iops);
	MEAN(gavg_wr_ms, write_iops);
	MEAN(device_gavg_rd_ms, device_read_iops);
	MEAN(device_gavg_wr_ms, device_write_iops);
	RATE(read_iops);
	RATE(write_iops);
	RATE(read_mib_s);
	RATE(write_mib_s);
	RATE(device_read_iops);
	RATE(device_write_iops);
	RATE(device_read_mib_s);
	RATE(device_write_mib_s);
#undef MEAN
#undef RATE
	a->p99_ms = NAN;	/* percentiles do not add */
	a->seconds = s + t;
	a->at_s = b->at_s;
	a->section = b->section;
}

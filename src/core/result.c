#include "core/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/column.h"
#include "core/kinds/kinds.h"
#include "core/xalloc.h"

#define MIB (1 << 20)
#define NS_PER_MS 1e6
#define MIN_ABOVE 10	/* values above a quantile, or it is chance */

struct result *
result_new(void)
{
	struct result *r = xcalloc(1, sizeof(*r));

	r->target.size_bytes = r->working_set_bytes = r->host_memory_bytes = r->array_cache_bytes = NAN;
	r->runtime_s = r->total.seconds = r->total.in_flight = NAN;
	r->device.read_iops = r->device.write_iops = r->device.read_mib_s = r->device.write_mib_s = NAN;
	r->device.gavg_ms = r->device.qavg_ms = r->device.davg_ms = NAN;
	r->cpu.host_pct = r->cpu.us_per_io = r->cpu.host_us_per_io = r->server.cpu_s = NAN;
	snprintf(r->total.name, sizeof(r->total.name), "total");
	return r;
}

static void
clear_row(struct result_row *row)
{
	hist_free(row->read);
	hist_free(row->write);
	hist_free(row->response);
	hist_free(row->sync);
}

void
result_free(struct result *r)
{
	if (r == NULL)
		return;
	for (size_t i = 0; i < r->n_rows; i++)
		clear_row(&r->rows[i]);
	clear_row(&r->total);
	free(r->rows);
	free(r->job_text);
	free(r->series);
	free(r);
}

static void
copy_row(struct result_row *to, const struct result_row *from)
{
	*to = *from;
	to->read = hist_copy(from->read);
	to->write = hist_copy(from->write);
	to->response = hist_copy(from->response);
	to->sync = hist_copy(from->sync);
}

struct result *
result_copy(const struct result *r)
{
	struct result *copy = xmalloc(sizeof(*copy));

	*copy = *r;
	copy->rows = xcalloc(r->n_rows, sizeof(*copy->rows));
	for (size_t i = 0; i < r->n_rows; i++)
		copy_row(&copy->rows[i], &r->rows[i]);
	copy_row(&copy->total, &r->total);
	copy->job_text = r->job_text != NULL ? xstrdup(r->job_text) : NULL;
	copy->series = xcalloc(r->n_series, sizeof(*copy->series));
	if (r->n_series > 0)
		memcpy(copy->series, r->series, r->n_series * sizeof(*copy->series));
	return copy;
}

static uint64_t
count_of(double cell)
{
	return cell > 0 ? (uint64_t)cell : 0;
}

/* NULL where nothing is in it, so that "not paced" and "no writes" look alike whoever made the row. */
static struct hist *
take_hist(const struct row *row, size_t metric)
{
	const struct hist *h = row->hists != NULL ? row->hists[metric] : NULL;

	return h != NULL && h->count > 0 ? hist_copy(h) : NULL;
}

static void
take_row(struct result_row *to, const struct row *row, const char *name)
{
	clear_row(to);
	*to = (struct result_row){
		.uid = row->object->uid,
		.seconds = row_seconds(row),
		.reads = count_of(row->cells[WORKER_READS]),
		.writes = count_of(row->cells[WORKER_WRITES]),
		.read_bytes = count_of(row->cells[WORKER_READ_BYTES]),
		.write_bytes = count_of(row->cells[WORKER_WRITE_BYTES]),
		.errors = count_of(row->cells[WORKER_ERRORS]),
		.late = count_of(row->cells[WORKER_LATE]),
		.in_flight = row->cells[WORKER_WEIGHTED_NS] / (double)row->ns,
		.read = take_hist(row, WORKER_READ_HIST),
		.write = take_hist(row, WORKER_WRITE_HIST),
		.response = take_hist(row, WORKER_RESPONSE_HIST),
		.sync = take_hist(row, WORKER_SYNC_HIST),
	};
	snprintf(to->name, sizeof(to->name), "%s", name);
}

static int
by_uid(const void *pa, const void *pb)
{
	const struct result_row *a = pa, *b = pb;

	return (a->uid > b->uid) - (a->uid < b->uid);
}

/* A sum of intervals has those that ended first last. */
static void
take_workers(struct result *r, const struct interval *sum, uint64_t test_uid)
{
	const struct interval_table *t = interval_table(sum, &kind_worker);

	for (size_t i = 0; t != NULL && i < t->n; i++) {
		if (t->rows[i].object->counts_in != test_uid)
			continue;
		r->rows = xreallocarray(r->rows, r->n_rows + 1, sizeof(*r->rows));
		r->rows[r->n_rows] = (struct result_row){ .read = NULL };
		take_row(&r->rows[r->n_rows++], &t->rows[i], t->rows[i].object->name);
	}
	if (r->n_rows > 0)
		qsort(r->rows, r->n_rows, sizeof(*r->rows), by_uid);
}

static const struct row *
device_row(const struct interval *v, uint64_t uid)
{
	const struct row *row = uid != 0 ? interval_row(v, &kind_disk, uid) : NULL;

	return row == NULL && uid != 0 ? interval_row(v, &kind_partition, uid) : row;
}

static void
take_device(struct result *r, const struct interval *sum, uint64_t uid)
{
	const struct row *row = device_row(sum, uid);

	if (row == NULL)
		return;
	snprintf(r->device.name, sizeof(r->device.name), "%s", row->object->name);
	r->device.read_iops = column_figure(row, "reads_s");
	r->device.write_iops = column_figure(row, "writes_s");
	r->device.read_mib_s = column_figure(row, "mbread_s");
	r->device.write_mib_s = column_figure(row, "mbwrtn_s");
	r->device.gavg_ms = column_figure(row, "gavg");
	r->device.qavg_ms = column_figure(row, "qavg");
	r->device.davg_ms = column_figure(row, "davg");
}

/* All the machine's CPU time, whoever it was charged to: completions run in interrupts and kernel workers too. */
static void
take_cpu(struct result *r, const struct interval *sum)
{
	const struct interval_table *total = interval_table(sum, &kind_cpu_total), *cores = interval_table(sum, &kind_cpu);
	double ios = (double)(r->total.reads + r->total.writes);

	if (total == NULL || cores == NULL || total->n != 1)
		return;
	r->cpu.host_pct = column_figure(&total->rows[0], "used_pct");
	if (ios > 0)
		r->cpu.us_per_io = r->cpu.host_us_per_io = r->cpu.host_pct / 100 * (double)cores->n * (double)total->ns / 1e3 / ios;
}

void
result_measure(struct result *r, const struct interval *sum, uint64_t test_uid, uint64_t device_uid)
{
	const struct row *total = interval_row(sum, &kind_load, test_uid);

	for (size_t i = 0; i < r->n_rows; i++)
		clear_row(&r->rows[i]);
	r->n_rows = 0;
	take_workers(r, sum, test_uid);
	if (total != NULL) {
		take_row(&r->total, total, "total");
		r->runtime_s = r->total.seconds;
	} else {
		r->runtime_s = (double)sum->ns / 1e9;
	}
	take_device(r, sum, device_uid);
	take_cpu(r, sum);
}

static void
tick_device(struct result_point *p, const struct interval *tick, uint64_t uid)
{
	const struct row *row = device_row(tick, uid);

	p->device_read_iops = row != NULL ? column_figure(row, "reads_s") : NAN;
	p->device_write_iops = row != NULL ? column_figure(row, "writes_s") : NAN;
	p->device_read_mib_s = row != NULL ? column_figure(row, "mbread_s") : NAN;
	p->device_write_mib_s = row != NULL ? column_figure(row, "mbwrtn_s") : NAN;
	p->device_gavg_ms = row != NULL ? column_figure(row, "gavg") : NAN;
	p->device_gavg_rd_ms = row != NULL ? column_figure(row, "gavg_rd") : NAN;
	p->device_gavg_wr_ms = row != NULL ? column_figure(row, "gavg_wr") : NAN;
}

void
result_tick(struct result *r, const struct interval *tick, uint64_t test_uid, uint64_t device_uid, unsigned section)
{
	const struct row *row = interval_row(tick, &kind_load, test_uid);
	struct result_point *p;
	double seconds;

	if (row == NULL || row->ns == 0)
		return;
	seconds = row_seconds(row);
	r->series = xreallocarray(r->series, r->n_series + 1, sizeof(*r->series));
	p = &r->series[r->n_series];
	*p = (struct result_point){
		.at_s = (r->n_series > 0 ? p[-1].at_s : 0) + seconds,
		.seconds = seconds,
		.read_iops = column_figure(row, "reads_s"),
		.write_iops = column_figure(row, "writes_s"),
		.read_mib_s = column_figure(row, "mbread_s"),
		.write_mib_s = column_figure(row, "mbwrtn_s"),
		.mean_ms = column_figure(row, "gavg"),
		.p99_ms = column_figure(row, "p99"),
		.gavg_rd_ms = column_figure(row, "gavg_rd"),
		.gavg_wr_ms = column_figure(row, "gavg_wr"),
		.section = section,
	};
	tick_device(p, tick, device_uid);
	r->n_series++;
}

static double
per_second(const struct result_row *row, double what)
{
	return row->seconds > 0 ? what / row->seconds : NAN;
}

static uint64_t
pick(enum result_dir dir, uint64_t read, uint64_t write)
{
	return dir == RESULT_READ ? read : dir == RESULT_WRITE ? write : read + write;
}

double
result_iops(const struct result_row *row, enum result_dir dir)
{
	return per_second(row, (double)pick(dir, row->reads, row->writes));
}

double
result_mib_s(const struct result_row *row, enum result_dir dir)
{
	return per_second(row, (double)pick(dir, row->read_bytes, row->write_bytes) / MIB);
}

struct hist *
result_hist(const struct result_row *row, enum result_dir dir)
{
	struct hist *h = hist_copy(dir == RESULT_WRITE ? row->write : row->read);

	if (dir == RESULT_BOTH)
		hist_merge(&h, row->write);
	return h;
}

double
result_mean_ms(const struct result_row *row, enum result_dir dir)
{
	const struct hist *read = dir != RESULT_WRITE ? row->read : NULL, *write = dir != RESULT_READ ? row->write : NULL;
	uint64_t count = (read != NULL ? read->count : 0) + (write != NULL ? write->count : 0);
	uint64_t ns = (read != NULL ? read->sum_ns : 0) + (write != NULL ? write->sum_ns : 0);

	return count > 0 ? (double)ns / (double)count / NS_PER_MS : NAN;
}

static double
quantile_ms(const struct hist *h, double q)
{
	if (h == NULL || (q < 1 && (double)h->count - ceil(q * (double)h->count) < MIN_ABOVE))
		return NAN;
	return hist_quantile_ns(h, q) / NS_PER_MS;
}

/* A table has some dozen of these for each worker: only two directions at once need a histogram of their own. */
double
result_quantile_ms(const struct result_row *row, enum result_dir dir, double q)
{
	struct hist *both;
	double ms;

	if (dir == RESULT_WRITE || row->read == NULL)
		return quantile_ms(dir == RESULT_READ ? NULL : row->write, q);
	if (dir == RESULT_READ || row->write == NULL)
		return quantile_ms(row->read, q);
	both = result_hist(row, dir);
	ms = quantile_ms(both, q);
	hist_free(both);
	return ms;
}

double
result_server_us_per_io(const struct result *r)
{
	double ios = (double)(r->total.reads + r->total.writes);

	return r->server.names[0] != '\0' && ios > 0 ? r->server.cpu_s * 1e6 / ios : NAN;
}

bool
result_is_remote(const struct result *r)
{
	return strcmp(r->engine, "nfs") == 0 || strcmp(r->engine, "iscsi") == 0;
}

/*
 * Results beside each other: are they of the same test, and what do they come to together?
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/result.h"
#include "core/xalloc.h"

__attribute__((format(printf, 3, 4))) static int
refuse(char *why, size_t size, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, size, format, ap);
	va_end(ap);
	return -EINVAL;
}

static int
unlike_jobs(const struct result *a, const struct result *b, char *why, size_t size)
{
	if (strcmp(a->workload, b->workload) != 0)
		return refuse(why, size, "unlike tests: %s and %s", a->workload, b->workload);
	/* Nobody chose the protocol of a target on a server as an engine: the way to the disk is what is compared. */
	if (strcmp(a->engine, b->engine) != 0 && !result_is_remote(a) && !result_is_remote(b))
		return refuse(why, size, "unlike engines: %s and %s", a->engine, b->engine);
	if (a->buffered != b->buffered)
		return refuse(why, size, "one went through the page cache, the other did not");
	if (a->block_bytes != b->block_bytes)
		return refuse(why, size, "unlike block sizes: %u and %u bytes", a->block_bytes, b->block_bytes);
	if (a->job_text != NULL && b->job_text != NULL && strcmp(a->job_text, b->job_text) != 0)
		return refuse(why, size, "both are called %s, but the job files differ", a->workload);
	return 0;
}

int
result_unlike(const struct result *a, const struct result *b, char *why, size_t size)
{
	if (unlike_jobs(a, b, why, size) != 0)
		return -EINVAL;
	if (a->depth != b->depth)
		return refuse(why, size, "unlike depths: %u and %u", a->depth, b->depth);
	return 0;
}

/* What stands under the sum of two counts, so that the rate of the sum is the sum of the rates. */
static double
common_seconds(const struct result_row *a, const struct result_row *b)
{
	double rate_a = result_iops(a, RESULT_BOTH), rate_b = result_iops(b, RESULT_BOTH);
	double ios = (double)(a->reads + a->writes + b->reads + b->writes);

	return rate_a + rate_b > 0 ? ios / (rate_a + rate_b) : fmax(a->seconds, b->seconds);
}

static void
add_row(struct result_row *into, const struct result_row *from)
{
	into->seconds = common_seconds(into, from);
	into->reads += from->reads;
	into->writes += from->writes;
	into->read_bytes += from->read_bytes;
	into->write_bytes += from->write_bytes;
	into->errors += from->errors;
	into->late += from->late;
	into->in_flight += from->in_flight;
	hist_merge(&into->read, from->read);
	hist_merge(&into->write, from->write);
	hist_merge(&into->response, from->response);
	hist_merge(&into->sync, from->sync);
}

/* Workers of two hosts have the same names. */
static void
name_rows(struct result *r)
{
	char name[sizeof(r->rows->name)];

	for (size_t i = 0; i < r->n_rows; i++) {
		if (r->host[0] == '\0' || strncmp(r->rows[i].name, r->host, strlen(r->host)) == 0)
			continue;
		snprintf(name, sizeof(name), "%.24s: %.36s", r->host, r->rows[i].name);
		memcpy(r->rows[i].name, name, sizeof(name));
	}
}

static void
append_rows(struct result *into, const struct result *from)
{
	struct result *copy = result_copy(from);

	if (strcmp(into->host, from->host) != 0) {
		name_rows(into);
		name_rows(copy);
	}
	into->rows = xreallocarray(into->rows, into->n_rows + copy->n_rows, sizeof(*into->rows));
	if (copy->n_rows > 0)
		memcpy(into->rows + into->n_rows, copy->rows, copy->n_rows * sizeof(*copy->rows));
	into->n_rows += copy->n_rows;
	/* The histograms have moved. */
	copy->n_rows = 0;
	result_free(copy);
}

/* Does the name stand in a list that join() made? */
static bool
names(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = list; (at = strstr(at, name)) != NULL; at++)
		if ((at == list || at[-1] == ' ') && (at[len] == '\0' || at[len] == ' '))
			return true;
	return false;
}

static void
join(char *text, size_t size, const char *more)
{
	size_t len = strlen(text);

	if (more[0] == '\0' || names(text, more))
		return;
	snprintf(text + len, size - len, "%s%s", len > 0 ? " + " : "", more);
}

/* a and b weigh as much as their counts; NaN where a part that weighs something is not known. */
static double
weighted(double a, double weight_a, double b, double weight_b)
{
	double sum = (weight_a > 0 ? a * weight_a : 0) + (weight_b > 0 ? b * weight_b : 0);

	return weight_a + weight_b > 0 ? sum / (weight_a + weight_b) : NAN;
}

static void
add_device(struct result *into, const struct result *from)
{
	double a = into->device.read_iops + into->device.write_iops, b = from->device.read_iops + from->device.write_iops;

	into->device.gavg_ms = weighted(into->device.gavg_ms, a, from->device.gavg_ms, b);
	into->device.qavg_ms = weighted(into->device.qavg_ms, a, from->device.qavg_ms, b);
	into->device.davg_ms = weighted(into->device.davg_ms, a, from->device.davg_ms, b);
	into->device.read_iops += from->device.read_iops;
	into->device.write_iops += from->device.write_iops;
	into->device.read_mib_s += from->device.read_mib_s;
	into->device.write_mib_s += from->device.write_mib_s;
	join(into->device.name, sizeof(into->device.name), from->device.name);
}

/* Ticks of two hosts need not fall together; those of the same number are near enough for a chart. */
static void
add_series(struct result *into, const struct result *from)
{
	if (into->n_series > from->n_series)
		into->n_series = from->n_series;
	for (size_t i = 0; i < into->n_series; i++) {
		struct result_point *p = &into->series[i];
		const struct result_point *q = &from->series[i];

		p->mean_ms = weighted(p->mean_ms, p->read_iops + p->write_iops, q->mean_ms, q->read_iops + q->write_iops);
		p->p99_ms = NAN;	/* percentiles do not add */
		p->gavg_rd_ms = weighted(p->gavg_rd_ms, p->read_iops, q->gavg_rd_ms, q->read_iops);
		p->gavg_wr_ms = weighted(p->gavg_wr_ms, p->write_iops, q->gavg_wr_ms, q->write_iops);
		p->device_gavg_rd_ms = weighted(p->device_gavg_rd_ms, p->device_read_iops, q->device_gavg_rd_ms, q->device_read_iops);
		p->device_gavg_wr_ms = weighted(p->device_gavg_wr_ms, p->device_write_iops, q->device_gavg_wr_ms, q->device_write_iops);
		p->read_iops += q->read_iops;
		p->write_iops += q->write_iops;
		p->read_mib_s += q->read_mib_s;
		p->write_mib_s += q->write_mib_s;
		p->device_gavg_ms = weighted(p->device_gavg_ms, p->device_read_iops + p->device_write_iops, q->device_gavg_ms,
		    q->device_read_iops + q->device_write_iops);
		p->device_read_iops += q->device_read_iops;
		p->device_write_iops += q->device_write_iops;
		p->device_read_mib_s += q->device_read_mib_s;
		p->device_write_mib_s += q->device_write_mib_s;
	}
}

/* A host without such processes adds nothing to what those of the other took. */
static void
add_server(struct result *into, const struct result *from)
{
	if (from->server.names[0] == '\0')
		return;
	into->server.cpu_s = from->server.cpu_s + (into->server.names[0] != '\0' ? into->server.cpu_s : 0);
	join(into->server.names, sizeof(into->server.names), from->server.names);
}

static void
add_facts(struct result *into, const struct result *from)
{
	/* Two runs of one host share its memory. */
	if (from->host[0] == '\0' || !names(into->host, from->host))
		into->host_memory_bytes += from->host_memory_bytes;
	join(into->host, sizeof(into->host), from->host);
	join(into->target.name, sizeof(into->target.name), from->target.name);
	join(into->target.device, sizeof(into->target.device), from->target.device);
	join(into->target.model, sizeof(into->target.model), from->target.model);
	if (strcmp(from->state, "done") != 0) {
		snprintf(into->state, sizeof(into->state), "%s", from->state);
		join(into->why, sizeof(into->why), from->why);
	}
	add_server(into, from);
	into->target.size_bytes += from->target.size_bytes;
	into->working_set_bytes += from->working_set_bytes;
	into->array_cache_bytes = fmax(into->array_cache_bytes, from->array_cache_bytes);
	into->runtime_s = fmax(into->runtime_s, from->runtime_s);
	into->depth += from->depth;
	into->quick = into->quick || from->quick;
	into->phased = into->phased || from->phased;
	into->unwritten = into->unwritten || from->unwritten;
	into->below_sector = into->below_sector || from->below_sector;
	if (into->steady != STEADY_NO && from->steady != STEADY_YES)
		into->steady = from->steady;
	if (from->started_ms < into->started_ms)
		into->started_ms = from->started_ms;
	into->id = 0;
}

int
result_sum(struct result *into, const struct result *from, char *why, size_t size)
{
	double ios_a = (double)(into->total.reads + into->total.writes), ios_b = (double)(from->total.reads + from->total.writes);
	uint32_t warnings = into->warnings | from->warnings;

	/* Not the depth: it adds up too. */
	if (unlike_jobs(into, from, why, size) != 0)
		return -EINVAL;
	if (strcmp(into->engine, from->engine) != 0)
		return refuse(why, size, "unlike engines: %s and %s", into->engine, from->engine);
	into->cpu.us_per_io = weighted(into->cpu.us_per_io, ios_a, from->cpu.us_per_io, ios_b);
	into->cpu.host_us_per_io = weighted(into->cpu.host_us_per_io, ios_a, from->cpu.host_us_per_io, ios_b);
	into->cpu.host_pct = weighted(into->cpu.host_pct, into->n_added + 1, from->cpu.host_pct, from->n_added + 1);
	into->n_added += from->n_added + 1;
	append_rows(into, from);
	add_row(&into->total, &from->total);
	add_device(into, from);
	add_series(into, from);
	add_facts(into, from);
	into->warnings = warnings;
	return 0;
}

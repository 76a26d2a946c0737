/*
 * Results as JSON. Percentiles stand there whatever the count, which stands beside them, as does the whole histogram.
 */
#include <math.h>
#include <stdlib.h>

#include "core/curve.h"
#include "core/format.h"
#include "out/jline.h"
#include "out/result_out.h"
#include "out/result_set.h"

#define NS_PER_US 1e3

/* A bucket is named by its lower bound, which finds it again. */
static void
put_buckets(struct line *l, const struct hist *h)
{
	jline_open(l, "hist", '[');
	for (uint32_t i = 0; h != NULL && i < h->n; i++) {
		if (h->buckets[i] == 0)
			continue;
		jline_open(l, NULL, '[');
		jline_number(l, NULL, (double)hist_low_ns(h->bits, h->first + i) / NS_PER_US);
		jline_count(l, NULL, h->buckets[i]);
		jline_close(l, ']');
	}
	jline_close(l, ']');
}

static void
put_latency(struct line *l, const char *key, const struct hist *h)
{
	jline_open(l, key, '{');
	jline_count(l, "count", h != NULL ? h->count : 0);
	jline_number(l, "mean", hist_mean_ns(h) / NS_PER_US);
	jline_number(l, "p50", hist_quantile_ns(h, 0.5) / NS_PER_US);
	jline_number(l, "p95", hist_quantile_ns(h, 0.95) / NS_PER_US);
	jline_number(l, "p99", hist_quantile_ns(h, 0.99) / NS_PER_US);
	jline_number(l, "p99_9", hist_quantile_ns(h, 0.999) / NS_PER_US);
	jline_number(l, "max", hist_quantile_ns(h, 1) / NS_PER_US);
	put_buckets(l, h);
	jline_close(l, '}');
}

static void
put_row(struct line *l, const char *key, const struct result_row *row)
{
	struct hist *both = result_hist(row, RESULT_BOTH);

	jline_open(l, key, '{');
	jline_text(l, "name", row->name);
	if (row->section > 0)
		jline_count(l, "section", row->section);
	jline_number(l, "seconds", row->seconds);
	jline_number(l, "iops", result_iops(row, RESULT_BOTH));
	jline_number(l, "read_iops", result_iops(row, RESULT_READ));
	jline_number(l, "write_iops", result_iops(row, RESULT_WRITE));
	jline_number(l, "mib_s", result_mib_s(row, RESULT_BOTH));
	jline_number(l, "read_mib_s", result_mib_s(row, RESULT_READ));
	jline_number(l, "write_mib_s", result_mib_s(row, RESULT_WRITE));
	jline_count(l, "errors", row->errors);
	jline_count(l, "late", row->late);
	jline_number(l, "in_flight", row->in_flight);
	put_latency(l, "latency_us", both);
	put_latency(l, "read_latency_us", row->read);
	put_latency(l, "write_latency_us", row->write);
	if (row->response != NULL)
		put_latency(l, "response_us", row->response);
	if (row->sync != NULL)
		put_latency(l, "sync_latency_us", row->sync);
	jline_close(l, '}');
	hist_free(both);
}

static void
put_target(struct line *l, const struct result *r)
{
	jline_open(l, "target", '{');
	jline_text(l, "name", r->target.name);
	jline_text(l, "kind", r->target.kind);
	jline_number(l, "size_bytes", r->target.size_bytes);
	jline_text(l, "device", r->target.device);
	jline_text(l, "model", r->target.model);
	jline_close(l, '}');
}

static void
put_checks(struct line *l, const struct result *r)
{
	jline_open(l, "checks", '{');
	jline_number(l, "in_flight", r->total.in_flight);
	jline_number(l, "iops_x_latency",
	    result_iops(&r->total, RESULT_BOTH) * result_mean_ms(&r->total, RESULT_BOTH) / 1000);
	jline_bool(l, "littles_law_ok", result_littles_law(r));
	if (r->steady == STEADY_UNKNOWN)
		jline_null(l, "steady");
	else
		jline_bool(l, "steady", r->steady == STEADY_YES);
	jline_bool(l, "quick", r->quick);
	if (r->phased)
		jline_bool(l, "phased", true);
	jline_bool(l, "unwritten", r->unwritten);
	jline_number(l, "working_set_bytes", r->working_set_bytes);
	jline_number(l, "host_memory_bytes", r->host_memory_bytes);
	jline_number(l, "array_cache_bytes", r->array_cache_bytes);
	jline_number(l, "sector_bytes", r->sector_bytes > 0 ? r->sector_bytes : NAN);
	jline_open(l, "warnings", '[');
	for (enum result_warning w = 0; w < WARN_COUNT; w++) {
		char text[512], both[600];

		if (!(r->warnings & (UINT32_C(1) << w)))
			continue;
		result_warning_text(r, w, text, sizeof(text));
		snprintf(both, sizeof(both), "%s: %s", result_warning_word[w], text);
		jline_text(l, NULL, both);
	}
	jline_close(l, ']');
	jline_close(l, '}');
}

static void
put_device(struct line *l, const struct result *r)
{
	if (r->device.name[0] == '\0') {
		jline_null(l, "device");
		return;
	}
	jline_open(l, "device", '{');
	jline_text(l, "name", r->device.name);
	jline_number(l, "read_iops", r->device.read_iops);
	jline_number(l, "write_iops", r->device.write_iops);
	jline_number(l, "read_mib_s", r->device.read_mib_s);
	jline_number(l, "write_mib_s", r->device.write_mib_s);
	jline_number(l, "gavg", r->device.gavg_ms);
	jline_number(l, "qavg", r->device.qavg_ms);
	jline_number(l, "davg", r->device.davg_ms);
	jline_close(l, '}');
}

static void
put_head(struct line *l, const struct result *r)
{
	char time[FORMAT_MAX];

	jline_text(l, "stortop", r->stortop);
	if (r->id > 0)
		jline_count(l, "run", (uint64_t)r->id);
	else
		jline_null(l, "run");
	jline_text(l, "name", r->label);
	jline_text(l, "host", r->host);
	if (r->started_ms != 0 && format_iso(time, r->started_ms) > 0)
		jline_text(l, "started", time);
	jline_number(l, "started_ms", r->started_ms != 0 ? (double)r->started_ms : NAN);
	jline_text(l, "workload", r->workload);
	jline_text(l, "state", r->state);
	jline_text(l, "why", r->why);
	jline_number(l, "runtime_s", r->runtime_s);
	jline_text(l, "engine", r->engine);
	jline_text(l, "engine_why", r->engine_why);
	if (r->depth > 0)
		jline_count(l, "depth", r->depth);
	if (r->block_bytes > 0)
		jline_count(l, "block_bytes", r->block_bytes);
	jline_bool(l, "buffered", r->buffered);
}

static void
put_result(struct line *l, const struct result *r)
{
	jline_open(l, NULL, '{');
	put_head(l, r);
	put_target(l, r);
	jline_open(l, "workers", '[');
	for (size_t i = 0; i < r->n_rows; i++)
		put_row(l, NULL, &r->rows[i]);
	jline_close(l, ']');
	put_row(l, "total", &r->total);
	put_checks(l, r);
	put_device(l, r);
	jline_open(l, "cpu", '{');
	jline_number(l, "host_pct", r->cpu.host_pct);
	jline_number(l, "us_per_io", r->cpu.us_per_io);
	jline_number(l, "host_us_per_io", r->cpu.host_us_per_io);
	if (r->server.names[0] != '\0') {
		jline_text(l, "server", r->server.names);
		jline_number(l, "server_s", r->server.cpu_s);
		jline_number(l, "server_us_per_io", result_server_us_per_io(r));
	}
	jline_close(l, '}');
	jline_text(l, "job", r->job_text);
	jline_close(l, '}');
}

static void
put_curve(struct line *l, const struct result *const *r, size_t n)
{
	size_t knee = curve_knee(r, n);

	jline_open(l, "curve", '{');
	if (knee != CURVE_NONE)
		jline_count(l, "knee_depth", r[knee]->depth);
	else
		jline_null(l, "knee_depth");
	jline_open(l, "within", '[');
	for (size_t i = 0; i < CURVE_LIMITS; i++) {
		size_t best = curve_within(r, n, curve_limits_ms[i]);

		if (best == CURVE_NONE)
			continue;
		jline_open(l, NULL, '{');
		jline_number(l, "p99_ms", curve_limits_ms[i]);
		jline_number(l, "iops", result_iops(&r[best]->total, RESULT_BOTH));
		jline_count(l, "depth", r[best]->depth);
		jline_close(l, '}');
	}
	jline_close(l, ']');
	jline_close(l, '}');
}

static void
put_set(struct line *l, const struct result *const *r, size_t n)
{
	struct set_summary s;
	struct steady_runs last = result_steady_runs(r, n);

	jline_open(l, NULL, '{');
	jline_open(l, "runs", '[');
	for (size_t i = 0; i < n; i++)
		put_result(l, r[i]);
	jline_close(l, ']');
	/* A curve that was run again has no mean over its depths. */
	if (n > 0 && result_set_alike(r, n) && (curve_is(r, n) || result_set_repeats(r, n))) {
		result_summarize(&s, r, n);
		jline_open(l, "summary", '{');
		jline_summary(l, "iops", &s.iops, 1);
		jline_summary(l, "mib_s", &s.mib_s, 1);
		jline_summary(l, "latency_us", &s.mean_ms, 1000);
		if (last.steady != STEADY_UNKNOWN && !curve_is(r, n))
			jline_bool(l, "steady", last.steady == STEADY_YES);
		jline_close(l, '}');
		if (curve_is(r, n))
			put_curve(l, r, n);
	}
	jline_close(l, '}');
}

void
result_print_json(FILE *file, const struct result *const *r, size_t n)
{
	struct line l = { .buf = NULL };

	if (n == 1)
		put_result(&l, r[0]);
	else
		put_set(&l, r, n);
	line_char(&l, '\n');
	fwrite(l.buf, 1, l.len, file);
	line_free(&l);
}

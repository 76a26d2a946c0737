/*
 * Results from JSON, as result_print_json() writes them, or another program: nothing in it is trusted.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "out/result_out.h"

#define HIST_BITS 6
#define MAX_ROWS 4096
#define MAX_RUNS 4096
#define MAX_NS 9e18		/* fits 63 bits; nothing takes 285 years */
#define NS_PER_US 1e3

static double
number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static uint64_t
count_of(double value)
{
	return value >= 1 ? (uint64_t)fmin(value, MAX_NS) : 0;
}

static void
text(const json_t *object, const char *key, char *out, size_t size)
{
	const char *value = json_string_value(json_object_get(object, key));

	snprintf(out, size, "%s", value != NULL ? value : "");
}

static bool
flag(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

/* One [bucket_us, count]; false where it is none. */
static bool
take_bucket(struct hist *h, const json_t *pair)
{
	double us = json_number_value(json_array_get(pair, 0));
	double count = json_number_value(json_array_get(pair, 1));

	if (json_array_size(pair) != 2 || !(us >= 0) || us * NS_PER_US > MAX_NS || !(count >= 1) || count > MAX_NS ||
	    (uint64_t)count > UINT64_MAX / 2 - h->count)
		return false;
	hist_add_value(h, (uint64_t)llround(us * NS_PER_US), (uint64_t)count);
	return true;
}

/*
 * Bounds of buckets are not the values: count, sum and largest come from their own figures. *bad: the histogram is none, or does
 * not have as many values as it says.
 */
static struct hist *
take_hist(const json_t *latency, bool *bad)
{
	const json_t *buckets = json_object_get(latency, "hist");
	double count = number(latency, "count"), mean = number(latency, "mean"), max = number(latency, "max");
	struct hist *h;

	if (!(count >= 1))
		return NULL;
	h = hist_new(HIST_BITS);
	for (size_t i = 0; i < json_array_size(buckets) && !*bad; i++)
		*bad = !take_bucket(h, json_array_get(buckets, i));
	*bad = *bad || h->count != count_of(count) || !(mean >= 0) || mean * NS_PER_US * count > MAX_NS ||
	    !(max * NS_PER_US >= (double)h->max_ns) || max * NS_PER_US > (double)hist_high_ns(HIST_BITS, h->first + h->n - 1);
	if (*bad) {
		hist_free(h);
		return NULL;
	}
	h->sum_ns = (uint64_t)llround(mean * NS_PER_US * count);
	h->max_ns = (uint64_t)llround(max * NS_PER_US);
	return h;
}

static bool
take_row(struct result_row *row, const json_t *w, double runtime_s)
{
	double seconds = number(w, "seconds");
	bool bad = !json_is_object(w);

	/* Another program need not say it: it is the runtime then. */
	row->seconds = seconds > 0 ? seconds : runtime_s;
	text(w, "name", row->name, sizeof(row->name));
	row->read_bytes = count_of(round(number(w, "read_mib_s") * row->seconds * (1 << 20)));
	row->write_bytes = count_of(round(number(w, "write_mib_s") * row->seconds * (1 << 20)));
	row->reads = count_of(round(number(w, "read_iops") * row->seconds));
	row->writes = count_of(round(number(w, "write_iops") * row->seconds));
	row->errors = count_of(number(w, "errors"));
	row->late = count_of(number(w, "late"));
	row->section = (unsigned)fmin((double)count_of(number(w, "section")), MAX_ROWS);
	row->in_flight = number(w, "in_flight");
	row->read = take_hist(json_object_get(w, "read_latency_us"), &bad);
	row->write = take_hist(json_object_get(w, "write_latency_us"), &bad);
	row->response = take_hist(json_object_get(w, "response_us"), &bad);
	row->sync = take_hist(json_object_get(w, "sync_latency_us"), &bad);
	return !bad;
}

static bool
take_workers(struct result *r, const json_t *workers)
{
	size_t n = json_array_size(workers);

	if (n > MAX_ROWS)
		return false;
	r->rows = xcalloc(n, sizeof(*r->rows));
	for (size_t i = 0; i < n; i++) {
		r->n_rows++;
		if (!take_row(&r->rows[i], json_array_get(workers, i), r->runtime_s))
			return false;
	}
	return true;
}

static uint32_t
take_warnings(const json_t *list)
{
	uint32_t warnings = 0;

	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *one = json_string_value(json_array_get(list, i));

		for (enum result_warning w = 0; one != NULL && w < WARN_COUNT; w++)
			if (strncmp(one, result_warning_word[w], strlen(result_warning_word[w])) == 0)
				warnings |= UINT32_C(1) << w;
	}
	return warnings;
}

static unsigned
small(double value)
{
	return value >= 1 && value <= UINT32_MAX ? (unsigned)value : 0;
}

static void
take_head(struct result *r, const json_t *o)
{
	const char *job = json_string_value(json_object_get(o, "job"));
	double started = number(o, "started_ms"), id = number(o, "run");

	text(o, "stortop", r->stortop, sizeof(r->stortop));
	text(o, "host", r->host, sizeof(r->host));
	text(o, "name", r->label, sizeof(r->label));
	text(o, "workload", r->workload, sizeof(r->workload));
	text(o, "state", r->state, sizeof(r->state));
	text(o, "why", r->why, sizeof(r->why));
	text(o, "engine", r->engine, sizeof(r->engine));
	text(o, "engine_why", r->engine_why, sizeof(r->engine_why));
	r->id = (int64_t)count_of(id);
	r->started_ms = (int64_t)count_of(started);
	r->runtime_s = number(o, "runtime_s");
	r->depth = small(number(o, "depth"));
	r->block_bytes = small(number(o, "block_bytes"));
	r->buffered = flag(o, "buffered");
	r->job_text = job != NULL ? xstrdup(job) : NULL;
}

static void
take_target(struct result *r, const json_t *o)
{
	const json_t *target = json_object_get(o, "target"), *device = json_object_get(o, "device");
	const json_t *cpu = json_object_get(o, "cpu");

	text(target, "name", r->target.name, sizeof(r->target.name));
	text(target, "kind", r->target.kind, sizeof(r->target.kind));
	text(target, "device", r->target.device, sizeof(r->target.device));
	text(target, "model", r->target.model, sizeof(r->target.model));
	r->target.size_bytes = number(target, "size_bytes");
	text(device, "name", r->device.name, sizeof(r->device.name));
	r->device.read_iops = number(device, "read_iops");
	r->device.write_iops = number(device, "write_iops");
	r->device.read_mib_s = number(device, "read_mib_s");
	r->device.write_mib_s = number(device, "write_mib_s");
	r->device.gavg_ms = number(device, "gavg");
	r->device.qavg_ms = number(device, "qavg");
	r->device.davg_ms = number(device, "davg");
	r->cpu.host_pct = number(cpu, "host_pct");
	r->cpu.us_per_io = number(cpu, "us_per_io");
	r->cpu.host_us_per_io = number(cpu, "host_us_per_io");
	text(cpu, "server", r->server.names, sizeof(r->server.names));
	r->server.cpu_s = number(cpu, "server_s");
}

static void
take_checks(struct result *r, const json_t *checks)
{
	const json_t *steady = json_object_get(checks, "steady");

	r->steady = json_is_boolean(steady) ? (json_is_true(steady) ? STEADY_YES : STEADY_NO) : STEADY_UNKNOWN;
	r->quick = flag(checks, "quick");
	r->phased = flag(checks, "phased");
	r->unwritten = flag(checks, "unwritten");
	r->working_set_bytes = number(checks, "working_set_bytes");
	r->host_memory_bytes = number(checks, "host_memory_bytes");
	r->array_cache_bytes = number(checks, "array_cache_bytes");
	r->sector_bytes = small(number(checks, "sector_bytes"));
	r->warnings = take_warnings(json_object_get(checks, "warnings"));
	r->below_sector = r->warnings & (UINT32_C(1) << WARN_BELOW_SECTOR);
}

static struct result *
take_result(const json_t *o, char *why, size_t size)
{
	struct result *r = result_new();

	take_head(r, o);
	take_target(r, o);
	take_checks(r, json_object_get(o, "checks"));
	if (!json_is_object(json_object_get(o, "total")) || r->workload[0] == '\0' || !(r->runtime_s > 0))
		snprintf(why, size, "not a result: workload, runtime_s or total is missing");
	else if (!take_workers(r, json_object_get(o, "workers")) || !take_row(&r->total, json_object_get(o, "total"), r->runtime_s))
		snprintf(why, size, "not a result: a worker's figures or histogram make no sense");
	else
		return r;
	result_free(r);
	return NULL;
}

static size_t
take_all(const json_t *root, struct result ***out, char *why, size_t size)
{
	const json_t *runs = json_object_get(root, "runs");
	size_t n = runs != NULL ? json_array_size(runs) : 1;

	if (n == 0 || n > MAX_RUNS) {
		snprintf(why, size, "not a result: no \"runs\" in it, or too many");
		return 0;
	}
	*out = xcalloc(n, sizeof(**out));
	for (size_t i = 0; i < n; i++) {
		(*out)[i] = take_result(runs != NULL ? json_array_get(runs, i) : root, why, size);
		if ((*out)[i] != NULL)
			continue;
		while (i > 0)
			result_free((*out)[--i]);
		free(*out);
		*out = NULL;
		return 0;
	}
	return n;
}

size_t
result_parse_json(const char *json, size_t len, struct result ***out, char *why, size_t size)
{
	json_error_t error;
	json_t *root = json_loadb(json, len, JSON_DECODE_INT_AS_REAL, &error);
	size_t n = 0;

	*out = NULL;
	if (root == NULL)
		snprintf(why, size, "not JSON: line %d: %s", error.line, error.text);
	else if (!json_is_object(root))
		snprintf(why, size, "not a result: no JSON object");
	else
		n = take_all(root, out, why, size);
	json_decref(root);
	return n;
}

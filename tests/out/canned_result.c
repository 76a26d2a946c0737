#include "canned_result.h"

#include <math.h>
#include <stdio.h>

#include "core/xalloc.h"

static struct hist *
values(uint64_t ns, uint64_t times)
{
	struct hist *h = hist_new(6);
	uint64_t slow = times * 9 / 1000;

	hist_add_value(h, ns, times - slow);
	hist_add_value(h, ns * 10, slow);
	return h;
}

static void
fill_row(struct result_row *row, const char *name, uint64_t iops)
{
	*row = (struct result_row){ .seconds = 30, .reads = iops * 21, .writes = iops * 9 };
	row->read_bytes = row->reads * 4096;
	row->write_bytes = row->writes * 4096;
	row->read = values(500000, row->reads);
	row->write = values(1250000, row->writes);
	row->in_flight = (double)iops * result_mean_ms(row, RESULT_BOTH) / 1000;
	snprintf(row->name, sizeof(row->name), "%s", name);
}

struct result *
canned_result(void)
{
	struct result *r = result_new();

	r->id = 12;
	r->started_ms = 1700000000123;
	snprintf(r->stortop, sizeof(r->stortop), "0.1");
	snprintf(r->host, sizeof(r->host), "db7");
	snprintf(r->workload, sizeof(r->workload), "oltp-4k");
	snprintf(r->engine, sizeof(r->engine), "uring");
	snprintf(r->state, sizeof(r->state), "done");
	snprintf(r->target.name, sizeof(r->target.name), "/mnt/new");
	snprintf(r->target.kind, sizeof(r->target.kind), "file");
	snprintf(r->target.device, sizeof(r->target.device), "sdg");
	snprintf(r->target.model, sizeof(r->target.model), "ST4000NM");
	r->target.size_bytes = r->working_set_bytes = 64.0 * (1 << 30);
	r->host_memory_bytes = 128.0 * (1 << 30);
	r->block_bytes = 4096;
	r->sector_bytes = 512;
	r->depth = 32;
	r->n_rows = 2;
	r->rows = xcalloc(2, sizeof(*r->rows));
	fill_row(&r->rows[0], "oltp-4k #1", 10473);
	fill_row(&r->rows[1], "oltp-4k #2", 10474);
	fill_row(&r->total, "total", 20947);
	r->runtime_s = 30;
	snprintf(r->device.name, sizeof(r->device.name), "sdg");
	r->device.read_iops = 14666;
	r->device.write_iops = 6285;
	r->device.read_mib_s = 57.29;
	r->device.write_mib_s = 24.55;
	r->device.gavg_ms = 0.71;
	r->cpu.host_pct = 11.5;
	r->cpu.us_per_io = 11.2;
	r->steady = STEADY_YES;
	r->job_text = xstrdup("[oltp-4k]\nrw=randrw\n");
	result_check(r);
	return r;
}

struct result *
canned_step(unsigned depth, uint64_t iops, uint64_t us)
{
	struct result *r = result_new();

	snprintf(r->workload, sizeof(r->workload), "curve");
	snprintf(r->engine, sizeof(r->engine), "uring");
	snprintf(r->target.name, sizeof(r->target.name), "/dev/sdz");
	r->depth = depth;
	r->runtime_s = r->total.seconds = 10;
	r->total.reads = iops * 10;
	r->total.read_bytes = r->total.reads * 4096;
	r->total.read = hist_new(6);
	hist_add_value(r->total.read, us * 1000, r->total.reads);
	r->total.in_flight = (double)iops * (double)us / 1e6;
	return r;
}

struct result *
canned_listen(void)
{
	struct result *r = result_new();

	snprintf(r->workload, sizeof(r->workload), "listen");
	snprintf(r->engine, sizeof(r->engine), "none");
	snprintf(r->state, sizeof(r->state), "done");
	snprintf(r->target.name, sizeof(r->target.name), "sdg");
	snprintf(r->target.kind, sizeof(r->target.kind), "device");
	r->runtime_s = r->total.seconds = 10;
	snprintf(r->device.name, sizeof(r->device.name), "sdg");
	r->device.read_iops = 20;
	r->device.write_iops = 10;
	r->device.read_mib_s = 1.25;
	r->device.write_mib_s = 0.25;
	r->device.gavg_ms = 0.4;
	r->cpu.host_pct = 3;
	result_check(r);
	return r;
}

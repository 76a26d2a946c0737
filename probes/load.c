/*
 * The load generator's workers as objects, and the run they count in. They start from zero, so their first interval is
 * known; one that ended is handed out once more, with its last counters.
 */
#include <stdlib.h>

#include "core/kinds/kinds.h"
#include "core/xalloc.h"
#include "load/run.h"
#include "probes/probe.h"

struct load_probe {
	struct probe probe;
	uint64_t test_uid;		/* of the run that the objects belong to; 0: none */
	struct object *test;
	struct object **workers;	/* made when first handed out */
	bool *gone;			/* handed out after its end */
	size_t n;
};

static void
forget(struct load_probe *load)
{
	for (size_t i = 0; i < load->n; i++)
		object_unref(load->workers[i]);
	object_unref(load->test);
	free(load->workers);
	free(load->gone);
	load->workers = NULL;
	load->gone = NULL;
	load->test = NULL;
	load->test_uid = 0;
	load->n = 0;
}

static void
take_up(struct load_probe *load, const struct board *board)
{
	const struct job_file *jobs = run_options(board->run)->jobs;

	forget(load);
	load->test_uid = board->test_uid;
	load->test = object_new(&kind_load, board->test_uid, jobs->name, jobs->name);
	load->n = run_workers(board->run);
	load->workers = xcalloc(load->n, sizeof(struct object *));
	load->gone = xcalloc(load->n, sizeof(*load->gone));
}

static struct object *
worker_object(struct load_probe *load, size_t i, const struct run_worker *worker)
{
	if (load->workers[i] == NULL) {
		load->workers[i] = object_new(&kind_worker, worker->uid, worker->name, worker->name);
		load->workers[i]->parent = load->test_uid;
		load->workers[i]->counts_in = load->test_uid;
	}
	return load->workers[i];
}

/*
 * Counts and times come from the histograms, so that they agree with them to the last I/O. Cells are 0 rather than absent
 * where nothing happened yet: it is known.
 */
static void
add_latency(struct snapshot_table *table, const struct live_hist *live, int ios, int ns, int metric)
{
	struct hist *hist = live_hist_copy(live);
	uint64_t *cells = snapshot_last(table);

	cells[ios] = hist != NULL ? hist->count : 0;
	cells[ns] = hist != NULL ? hist->sum_ns : 0;
	if (hist != NULL)
		snapshot_hist(table, metric, hist);
}

static void
add_response(struct snapshot_table *table, const struct load_counters *c)
{
	struct hist *read = live_hist_copy(&c->response[IO_READ]), *write = live_hist_copy(&c->response[IO_WRITE]);

	hist_merge(&read, write);
	hist_free(write);
	if (read != NULL)
		snapshot_hist(table, WORKER_RESPONSE_HIST, read);
}

static void
add_worker(struct snapshot_table *table, struct object *object, const struct load_counters *c)
{
	uint64_t *cells = snapshot_add(table, object);

	cells[WORKER_READ_BYTES] = counter_get(&c->bytes[IO_READ]);
	cells[WORKER_WRITE_BYTES] = counter_get(&c->bytes[IO_WRITE]);
	cells[WORKER_ERRORS] = counter_get(&c->errors[IO_READ]) + counter_get(&c->errors[IO_WRITE]) +
	    counter_get(&c->errors[IO_SYNC]);
	cells[WORKER_LATE] = counter_get(&c->late);
	cells[WORKER_WEIGHTED_NS] = counter_get(&c->weighted_ns);
	cells[WORKER_IN_FLIGHT] = counter_get(&c->in_flight);
	add_latency(table, &c->latency[IO_READ], WORKER_READS, WORKER_READ_NS, WORKER_READ_HIST);
	add_latency(table, &c->latency[IO_WRITE], WORKER_WRITES, WORKER_WRITE_NS, WORKER_WRITE_HIST);
	add_latency(table, &c->latency[IO_SYNC], WORKER_SYNCS, WORKER_SYNC_NS, WORKER_SYNC_HIST);
	add_response(table, c);
}

/*
 * The tables are there without a run too, or the first interval of the next one would be lost; a program that makes no load
 * has no board.
 */
static int
load_sample(struct probe *probe, struct snapshot *snapshot)
{
	struct load_probe *load = (struct load_probe *)probe;
	const struct board *board = probe->env->board;
	struct snapshot_table *workers, *tests;

	if (board == NULL)
		return 0;
	workers = snapshot_table(snapshot, &kind_worker);
	tests = snapshot_table(snapshot, &kind_load);
	if (board->run == NULL) {
		forget(load);
		return 0;
	}
	if (load->test_uid != board->test_uid)
		take_up(load, board);
	snapshot_add(tests, load->test);
	for (size_t i = 0; i < load->n; i++) {
		const struct run_worker *worker = run_worker(board->run, i);

		if (!worker->started || load->gone[i])
			continue;
		load->gone[i] = worker->ended;
		add_worker(workers, worker_object(load, i, worker), worker->counters);
	}
	return 0;
}

static void
load_close(struct probe *probe)
{
	forget((struct load_probe *)probe);
}

static const struct kind *const load_kinds[] = { &kind_worker, &kind_load, NULL };

const struct probe_ops probe_load = {
	.name = "load",
	.what = "workers of the load generator, while a test runs",
	.kinds = load_kinds,
	.size = sizeof(struct load_probe),
	.sample = load_sample,
	.close = load_close,
};

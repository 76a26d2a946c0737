/*
 * run: live + load generator -> progress, store, result.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/configure.h"
#include "core/clock.h"
#include "core/column.h"
#include "core/format.h"
#include "core/kinds/kinds.h"
#include "core/xalloc.h"
#include "out/result_out.h"
#include "session/session.h"
#include "session/test.h"

#define TICK_NS UINT64_C(1000000000)
#define NUMBERS_NS UINT64_C(2000000000)
#define LINE_EVERY_NS UINT64_C(10000000000)

struct progress {
	bool terminal;		/* a bar; otherwise a line now and then */
	bool drawn;
	uint64_t next_ns;
	enum run_state state;
	unsigned step;
	bool silent;		/* the target does not answer */
	bool told;		/* where the result goes, when it is not as usual */
};

static void
note(const char *line)
{
	cmd_warn("%s", line);
}

/* ---- the question before data is lost ---- */

/* False for an empty line, and after Ctrl-C. */
static bool
read_answer(int tty, char *out, size_t size)
{
	struct pollfd fds[] = { { .fd = tty, .events = POLLIN }, { .fd = cmd_stop_fd, .events = POLLIN } };
	size_t n = 0;
	char c;

	while (cmd_stop == 0 && (poll(fds, 2, -1) > 0 || errno == EINTR))
		if (fds[0].revents != 0)
			break;
	while (cmd_stop == 0 && read(tty, &c, 1) == 1 && c != '\n')
		if (n + 1 < size)
			out[n++] = c;
	out[n] = '\0';
	return n > 0;
}

/* Where there is anything to say. */
static void
tell(int tty, const char *what, const char *text)
{
	char *copy = xstrdup(text);

	cmd_harmless(copy);
	if (copy[0] != '\0')
		dprintf(tty, "  %s%s\n", what, copy);
	free(copy);
}

static void
describe(int tty, const struct target_facts *f, const char *amount)
{
	char size[FORMAT_MAX], *first;

	format_bytes(size, (double)f->size_bytes);
	first = xasprintf("%s  %s", f->path, size);
	dprintf(tty, "\n");
	tell(tty, "", first);
	free(first);
	tell(tty, "model   ", f->model);
	tell(tty, "serial  ", f->serial);
	tell(tty, "WWN     ", f->wwn);
	tell(tty, "mapper  ", f->mapper);
	tell(tty, "on it   ", f->holds[0] != '\0' ? f->holds : "nothing that is known");
	tell(tty, "to be written: ", amount);
}

/* On the terminal itself, whatever stdin and stderr are. */
static bool
confirm(void *arg, const struct target_facts *facts, const char *amount, const char *wants)
{
	int tty = open("/dev/tty", O_RDWR | O_CLOEXEC);
	char answer[128];
	bool yes;

	(void)arg;
	if (tty < 0)
		return false;
	describe(tty, facts, amount);
	if (wants != NULL)
		dprintf(tty, "ALL DATA on it will be lost. To go on, type %s: ", wants);
	else
		dprintf(tty, "It is in use, and the test adds load to it. Go on? [y/N] ");
	yes = read_answer(tty, answer, sizeof(answer)) &&
	    (wants != NULL ? strcmp(answer, wants) == 0 : answer[0] == 'y' || answer[0] == 'Y');
	close(tty);
	return yes;
}

/* ---- progress on stderr ---- */

static void
figures(const struct test_status *s, char *out, size_t size)
{
	const struct row *row = s->last != NULL ? interval_row(s->last, &kind_load, s->test_uid) : NULL;
	char iops[FORMAT_MAX], mean[FORMAT_MAX], p99[FORMAT_MAX];

	out[0] = '\0';
	/* Of a load that begins or ends the tick's figures say nothing. */
	if (row == NULL || (s->state != RUN_RAMP && s->state != RUN_MEASURE))
		return;
	format_cell(iops, column_figure(row, "cmds_s"), 6, 0);
	format_cell(mean, column_figure(row, "gavg"), 6, 2);
	format_cell(p99, column_figure(row, "p99"), 6, 2);
	snprintf(out, size, "%s IOPS  mean %s ms  p99 %s ms", iops, mean, p99);
}

/* The newest figures, or what is waited for. */
static void
say(const struct test_status *s, char *out, size_t size)
{
	if (s->state == RUN_PREPARE && s->why[0] != '\0')
		snprintf(out, size, "%.120s", s->why);
	else
		figures(s, out, size);
	cmd_harmless(out);
}

static void
print_step(const struct test_status *s, char *out, size_t size)
{
	char step[32] = "";

	if (s->steps > 1)
		snprintf(step, sizeof(step), " [%u of %u]", s->step, s->steps);
	snprintf(out, size, "%s%s: %s", s->workload, step, run_state_name[s->state]);
	cmd_harmless(out);
}

static void
draw_bar(struct progress *p, const struct test_status *s)
{
	double share = s->all_ns > 0 ? fmin(1, (double)s->done_ns / (double)s->all_ns) : 0;
	char head[192], tail[128], line[400], bar[21];
	struct winsize w;
	int width = ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 20 ? w.ws_col - 1 : 79;

	for (int i = 0; i < 20; i++)
		bar[i] = i < (int)(share * 20) ? '#' : '.';
	bar[20] = '\0';
	print_step(s, head, sizeof(head));
	say(s, tail, sizeof(tail));
	snprintf(line, sizeof(line), "%s [%s] %3.0f %%  %s", head, bar, share * 100, tail);
	fprintf(stderr, "\r%.*s\033[K", width, line);
	fflush(stderr);
	p->drawn = true;
}

static void
print_line(struct progress *p, const struct test_status *s)
{
	char head[192], tail[128] = "";
	bool silent = s->state == RUN_PREPARE && s->why[0] != '\0';
	bool news = p->state != s->state || p->step != s->step || p->silent != silent;

	if (!news && clock_ns() < p->next_ns)
		return;
	p->next_ns = clock_ns() + LINE_EVERY_NS;
	p->silent = silent;
	print_step(s, head, sizeof(head));
	/* The tick at which a state begins is of the one before. */
	if (p->state == s->state || silent)
		say(s, tail, sizeof(tail));
	fprintf(stderr, "stortop: %s%s%s\n", head, tail[0] != '\0' ? "  " : "", tail);
}

static void
show(struct progress *p, const struct test_status *s)
{
	if (p->terminal)
		draw_bar(p, s);
	else
		print_line(p, s);
	p->state = s->state;
	p->step = s->step;
}

static void
clear_bar(struct progress *p)
{
	if (p->drawn)
		fputs("\r\033[K", stderr);
	p->drawn = false;
}

/* ---- the loop ---- */

static void
wait_for_something(struct session *s)
{
	struct pollfd fds[SESSION_FDS + 1];
	int timeout, n = session_pollfds(s, fds, &timeout);

	fds[n++] = (struct pollfd) { .fd = cmd_stop == 0 ? cmd_stop_fd : -1, .events = POLLIN };
	poll(fds, (nfds_t)n, timeout);
}

/* Said as soon as it is known, so that a long test need not be run in vain. */
static void
tell_not_kept(struct session *s, struct progress *p)
{
	struct store_status store;

	if (p->told || !session_store_status(s, &store) || store.state != STORE_STOPPED)
		return;
	clear_bar(p);
	if (store.results)
		cmd_warn("%s: the result is added there", store.reason);
	else
		cmd_warn("nothing is recorded, and the result is not kept: %s; with --db and another file it is", store.reason);
	p->told = true;
}

/* Until the test has ended. True: it was said that recording stopped. */
static bool
drive(struct session *s)
{
	struct progress p = { .terminal = isatty(STDERR_FILENO), .state = RUN_FAILED };

	while (session_test_running(s)) {
		struct interval *v;

		wait_for_something(s);
		if (cmd_stop != 0)
			session_test_stop(s);
		v = session_step(s, false);
		if (v == NULL)
			continue;
		interval_unref(v);
		/* What was refused says so itself. */
		if (!session_test_running(s) && session_test(s)->test_uid == 0)
			continue;
		tell_not_kept(s, &p);
		show(&p, session_test(s));
	}
	clear_bar(&p);
	return p.told;
}

/* The store's thread is quick as a rule; where its disk is not, the result goes without a number. */
static void
wait_for_numbers(struct session *s)
{
	uint64_t until = clock_ns() + NUMBERS_NS;

	while (!session_test_stored(s) && clock_ns() < until && cmd_stop == 0)
		poll(NULL, 0, 5);
}

/* What went wrong beside the test: its result stands. */
static void
tell_troubles(struct session *s, bool told)
{
	const struct test_status *test = session_test(s);
	struct store_status store;

	if (test != NULL && test->leftover[0] != '\0')
		cmd_warn("%s", test->leftover);
	/* Of a test that never began nothing is missed. */
	if ((test != NULL && test->test_uid == 0) || !session_store_status(s, &store))
		return;
	if (store.state == STORE_STOPPED && !told)
		cmd_warn("recording stopped: %s", store.reason);
	else if ((store.state != STORE_STOPPED || store.results) && !session_test_stored(s))
		cmd_warn("recording: %s does not answer", store.path);
}

static int
print_results(const struct options *o, struct session *s)
{
	size_t n;
	const struct result *const *results = session_test_results(s, &n);
	const struct test_status *status = session_test(s);

	if (n == 0) {
		cmd_warn("%s", status->why[0] != '\0' ? status->why : "stopped before anything was measured");
		return cmd_stop != 0 ? 130 : status->exit_status;
	}
	if (o->json)
		result_print_json(stdout, results, n);
	else
		result_print_table(stdout, results, n);
	if (status->state == RUN_FAILED) {
		cmd_warn("%s", status->why[0] != '\0' ? status->why : "failed");
		return 1;
	}
	return cmd_stop != 0 ? 130 : 0;
}

/* A preconditioned target is half of a test: what is to come, and what undoes it. */
static void
say_next(const struct options *o, struct session *s)
{
	const struct workload *w = workload_find(o->args[0]);
	const struct test_status *status = session_test(s);

	if (w == NULL || !w->leaves || status->state != RUN_DONE || status->target.kind == TARGET_NULL)
		return;
	if (status->target.kind == TARGET_FILE && !o->run.keep)
		cmd_warn("the test file is gone again, and what it was filled with: --keep leaves it for the workload that is to follow");
	else if (status->target.kind == TARGET_FILE)
		cmd_warn("filled: now `stortop run WORKLOAD %s --keep`", status->target.path);
	else
		cmd_warn("filled: now `stortop run WORKLOAD %s --destroy %s`, before anything discards what is on it",
		    status->target.path, o->run.destroy != NULL ? o->run.destroy :
		    status->target.serial[0] != '\0' ? status->target.serial : "SIZE");
}

static int
run_test(const struct options *o, struct session *s, bool *told)
{
	const struct run_options_line *line = &o->run;
	struct test_request request = {
		.workload = o->args[0],
		.target = o->args[1],
		.runtime_ns = line->runtime_ns,
		.ramp_ns = line->ramp_ns,
		.full = line->full,
		.size_bytes = line->size_bytes,
		.name = line->name,
		.destroy = line->destroy,
		.in_use = line->in_use,
		.keep = line->keep,
		.array_cache_bytes = line->array_cache_bytes,
		.start_at_ms = line->start_at_ms,
		.repeat = line->repeat,
		.confirm = isatty(STDIN_FILENO) && isatty(STDERR_FILENO) ? confirm : NULL,
	};
	char why[512] = "";
	int status = session_test_start(s, &request, note, why, sizeof(why));

	if (status != 0) {
		cmd_warn("%s", why);
		return status;
	}
	*told = drive(s);
	wait_for_numbers(s);
	status = print_results(o, s);
	say_next(o, s);
	return status;
}

/* What a load is told and a command is not: the first that was given; NULL: none. */
static const char *
load_option(const struct run_options_line *line)
{
	const struct { bool given; const char *name; } options[] = {
		{ line->runtime_ns != UINT64_MAX, "--runtime" }, { line->ramp_ns != UINT64_MAX, "--ramp" },
		{ line->full, "--full" }, { line->size_bytes > 0, "--size" }, { line->start_at_ms != 0, "--start-at" },
		{ line->destroy != NULL, "--destroy" }, { line->in_use, "--in-use" },
		{ line->array_cache_bytes > 0, "--array-cache" }, { line->keep, "--keep" },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].given)
			return options[i].name;
	return NULL;
}

int
cmd_run(const struct options *o, struct env *env)
{
	struct session_options options = { .env = env, .probes = probe_table, .interval_ns = TICK_NS };
	bool exec = strcmp(o->args[0], "exec") == 0, told = false;
	struct configure configure;
	struct session *s;
	int status;

	if (env->foreign) {
		cmd_warn("run: makes no load under --root");
		return 2;
	}
	if (exec && load_option(&o->run) != NULL) {
		cmd_warn("%s: not of run exec, which makes no load", load_option(&o->run));
		return 2;
	}
	if (!exec && o->n_args > 2) {
		cmd_warn("%s: not expected here: run takes a workload and a target", o->args[2]);
		return 2;
	}
	env->detail_budget_ns = UINT64_MAX;
	status = configure_open(&configure, o, env);
	if (status != 0) {
		configure_close(&configure);
		return status;
	}
	if (!o->no_record)
		options.store = cmd_open_store(o, env, &configure.settings);
	s = session_open(&options);
	if (s == NULL) {
		cmd_warn("no timer: %s", strerror(errno));
		sink_close(options.store);
		configure_close(&configure);
		return 1;
	}
	status = exec ? cmd_run_exec(o, s) : run_test(o, s, &told);
	if (exec || session_test(s) != NULL)
		tell_troubles(s, told);
	session_close(s);
	configure_close(&configure);
	return status;
}

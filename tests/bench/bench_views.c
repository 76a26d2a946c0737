/*
 * A tick of the dashboard at 1,000 devices on a screen of 50 rows: figures kept, lines sorted, everything drawn
 * and sent to a terminal.
 */
#include <fcntl.h>
#include <locale.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/snapshot.h"
#include "core/stall.h"
#include "session/history.h"
#include "session/verdict.h"
#include "tests/bench/bench.h"
#include "views/screen.h"
#include "views/terminal.h"

#define TICKS 40
#define ROWS 50
#define COLS 160

struct stage {
	struct interval *intervals[TICKS];
	struct history *history;
	struct verdicts *verdicts;
	struct screen screen;
	struct surface surface;
	struct terminal *terminal;
	size_t view;
};

static double
run_keep(void *arg)
{
	struct stage *s = arg;
	double start = bench_cpu_us();

	for (size_t i = 0; i < TICKS; i++) {
		history_feed(s->history, s->intervals[i]);
		verdicts_feed(s->verdicts, s->intervals[i]);
	}
	return (bench_cpu_us() - start) / TICKS / 1e3;
}

static double
run_build(void *arg)
{
	struct stage *s = arg;
	double start = bench_cpu_us();

	for (size_t i = 0; i < TICKS; i++)
		screen_feed(&s->screen, s->intervals[i]);
	return (bench_cpu_us() - start) / TICKS / 1e3;
}

/* Other figures in every row each time, so all of them are sent. */
static double
run_draw(void *arg)
{
	struct stage *s = arg;
	double used = 0;
	int y, x;

	screen_show(&s->screen, s->view);
	for (size_t i = 0; i < TICKS; i++) {
		double start;

		screen_feed(&s->screen, s->intervals[i]);
		start = bench_cpu_us();
		screen_draw(&s->screen, &s->surface, &y, &x);
		if (s->terminal != NULL)
			terminal_draw(s->terminal, &s->surface, y, x);
		used += bench_cpu_us() - start;
	}
	return used / TICKS / 1e3;
}

/* A terminal on stdin and stdout, read by a process that throws all away. */
static pid_t
be_on_a_terminal(void)
{
	struct winsize size = { .ws_row = ROWS, .ws_col = COLS };
	char data[4096];
	pid_t pid;
	int slave, master;

	if (openpty(&master, &slave, NULL, NULL, &size) != 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		close(slave);
		while (read(master, data, sizeof(data)) > 0)
			;
		_exit(0);
	}
	close(master);
	dup2(slave, STDIN_FILENO);
	dup2(slave, STDOUT_FILENO);
	close(slave);
	return pid;
}

static void
make(struct stage *s)
{
	struct bench_machine *machine = bench_machine_new(1000, 100000);
	struct stall *stall = stall_new();
	struct snapshot *before = bench_machine_next(machine);

	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < TICKS; i++) {
		struct snapshot *after = bench_machine_next(machine);

		s->intervals[i] = interval_diff(before, after);
		stall_watch(stall, s->intervals[i]);
		snapshot_free(before);
		before = after;
	}
	snapshot_free(before);
	stall_free(stall);
	bench_machine_free(machine);
	s->history = history_new(300);
	s->verdicts = verdicts_new(NULL);
	screen_init(&s->screen);
	s->screen.host = "bench";
	s->screen.history = s->history;
	s->screen.verdicts = s->verdicts;
	s->screen.interval_ns = UINT64_C(1000000000);
	surface_init(&s->surface, ROWS, COLS, true);
}

static void
drop(struct stage *s)
{
	for (size_t i = 0; i < TICKS; i++)
		interval_unref(s->intervals[i]);
	screen_clear(&s->screen);
	surface_free(&s->surface);
	history_free(s->history);
	verdicts_free(s->verdicts);
}

/* Figures, printed at the end: in between the terminal is not ours. */
static void
measure(struct stage *s, double figures[4])
{
	char why[200];
	int out = dup(STDOUT_FILENO), in = dup(STDIN_FILENO);
	pid_t reader;

	figures[0] = bench_repeat(run_keep, s);
	figures[1] = bench_repeat(run_build, s);
	reader = be_on_a_terminal();
	if (reader > 0) {
		setenv("TERM", "xterm-256color", 1);
		s->terminal = terminal_open(&(struct terminal_options) { .mouse = false }, why, sizeof(why));
	}
	figures[2] = bench_repeat(run_draw, s);	/* the overview */
	s->view = 2;
	figures[3] = bench_repeat(run_draw, s);	/* the devices */
	terminal_close(s->terminal);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	dup2(in, STDIN_FILENO);
	close(out);
	close(in);
	if (reader > 0)
		waitpid(reader, NULL, 0);
}

int
main(void)
{
	struct stage s;
	double figures[4];

	setlocale(LC_CTYPE, "C.UTF-8");
	make(&s);
	measure(&s, figures);
	drop(&s);
	bench_line("history and verdicts, 1000 devices", figures[0], "ms", 0);
	bench_line("lines of a table, 1000 devices", figures[1], "ms", 0);
	bench_line("redraw of 50 rows, overview", figures[2], "ms", 2);
	bench_line("redraw of 50 rows, devices", figures[3], "ms", 2);
	return 0;
}

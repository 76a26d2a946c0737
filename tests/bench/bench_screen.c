/*
 * A redraw, whole: a new interval is taken in, 50 rows are sorted and drawn, and what changed goes to a terminal.
 */
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/snapshot.h"
#include "session/history.h"
#include "session/verdict.h"
#include "tests/bench/bench.h"
#include "views/screen.h"
#include "views/terminal.h"

#define ROWS 50
#define TICKS 200
#define DEVICES_VIEW 2

struct drawing {
	struct screen screen;
	struct surface surface;
	struct terminal *terminal;
	struct interval *intervals[TICKS];
	struct history *history;
	struct verdicts *verdicts;
};

static double
run_redraw(void *arg)
{
	struct drawing *d = arg;
	double start = bench_cpu_us();
	int y, x;

	for (size_t i = 0; i < TICKS; i++) {
		history_feed(d->history, d->intervals[i]);
		verdicts_feed(d->verdicts, d->intervals[i]);
		screen_feed(&d->screen, d->intervals[i]);
		screen_draw(&d->screen, &d->surface, &y, &x);
		terminal_draw(d->terminal, &d->surface, y, x);
	}
	return (bench_cpu_us() - start) / TICKS / 1000;
}

/* Puts a terminal on stdin and stdout that somebody reads; the old stdout, or -1. */
static int
take_terminal(pid_t *reader)
{
	struct winsize size = { .ws_row = ROWS + 10, .ws_col = 200 };
	int master, slave, out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	char buf[65536];

	if (openpty(&master, &slave, NULL, NULL, &size) == -1)
		return -1;
	*reader = fork();
	if (*reader == 0) {
		close(slave);
		while (read(master, buf, sizeof buf) > 0)
			;
		_exit(0);
	}
	close(master);
	dup2(slave, STDIN_FILENO);
	dup2(slave, STDOUT_FILENO);
	close(slave);
	return out;
}

static void
make_intervals(struct drawing *d)
{
	struct bench_machine *m = bench_machine_new(ROWS, 100000);
	struct snapshot *before = bench_machine_next(m), *now;

	for (size_t i = 0; i < TICKS; i++, before = now) {
		now = bench_machine_next(m);
		d->intervals[i] = interval_diff(before, now);
		snapshot_free(before);
	}
	snapshot_free(before);
	bench_machine_free(m);
}

int
main(void)
{
	struct drawing d = { 0 };
	struct terminal_options options = { .mouse = false };
	char why[200] = "no terminal to be had";
	double ms = NAN;
	pid_t reader;
	int out;

	setlocale(LC_CTYPE, "C.UTF-8");
	setenv("TERM", "xterm-256color", 1);
	make_intervals(&d);
	d.history = history_new(300);
	d.verdicts = verdicts_new(NULL);
	screen_init(&d.screen);
	d.screen.host = "bench";
	d.screen.interval_ns = 1000000000;
	d.screen.history = d.history;
	d.screen.verdicts = d.verdicts;
	screen_show(&d.screen, DEVICES_VIEW);
	surface_init(&d.surface, ROWS + 10, 200, true);
	out = take_terminal(&reader);
	if (out != -1)
		d.terminal = terminal_open(&options, why, sizeof why);
	if (d.terminal != NULL) {
		ms = bench_repeat(run_redraw, &d);
		terminal_close(d.terminal);
	}
	dup2(out, STDOUT_FILENO);
	if (isnan(ms))
		puts(why);
	else
		bench_line("redraw of 50 rows, 200 columns", ms, "ms CPU", 2);
	return 0;
}

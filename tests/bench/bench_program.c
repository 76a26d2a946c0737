/*
 * The real program, as a whole: how soon its first figures are on a terminal, its memory, and its CPU time a sample
 * beside iostat's, in interleaved pairs.
 */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/xalloc.h"
#include "tests/bench/bench.h"
#include "tests/lab/lab.h"

#define PAIRS 5
#define FEW 20
#define MANY 1000
#define REMOVERS 8	/* the kernel takes some 30 ms for each device, but does several at once */

struct devices {
	char *dir;
	int backing;
	size_t n;
	struct loop loops[MANY];
};

/* Loop devices that were read once, until this many block devices are there. */
static void
fill_up(struct devices *d, size_t wanted)
{
	size_t there = 0;
	char line[512], name[64];
	FILE *f = fopen("/proc/diskstats", "re");

	while (f != NULL && fgets(line, sizeof line, f) != NULL)
		there += sscanf(line, "%*u %*u %63s", name) == 1;
	if (f != NULL)
		fclose(f);
	while (there + d->n < wanted && d->n < MANY &&
	    lab_loop_add(&d->loops[d->n], d->backing, lab_first_number(), d->dir) == 0)
		lab_read_blocks(&d->loops[d->n++], 1);
}

static void
take_away(struct devices *d)
{
	for (size_t i = 0; i < d->n; i++) {
		close(d->loops[i].fd);
		d->loops[i].fd = -1;
	}
	for (size_t k = 0; k < REMOVERS; k++) {
		if (fork() != 0)
			continue;
		for (size_t i = k; i < d->n; i += REMOVERS)
			lab_loop_remove(&d->loops[i]);
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
	d->n = 0;
}

/* CPU time of the command in microseconds, the children it waits for included; NaN if it fails. */
static double
cpu_of(const char *const *argv)
{
	struct rusage use;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execvp(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	if (wait4(pid, &status, 0, &use) != pid || status != 0)
		return NAN;
	return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1e6 +
	    (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

/* What a sample costs: that of many, less what starting costs. */
static double
stortop_sample_us(const char *program)
{
	double many = cpu_of((const char *[]) { program, "-b", "-d", "0.2", "-n", "26", "--no-record", NULL });

	return (many - cpu_of((const char *[]) { program, "-b", "-d", "0.2", "-n", "1", "--no-record", NULL })) / 25;
}

static double
iostat_sample_us(void)
{
	double many = cpu_of((const char *[]) { "iostat", "-x", "1", "6", NULL });

	return (many - cpu_of((const char *[]) { "iostat", "-x", "1", "1", NULL })) / 5;
}

static void
beside_iostat(const char *program, const char *what, double bar)
{
	double ours[PAIRS], ratios[PAIRS];

	for (size_t i = 0; i < PAIRS; i++) {
		ours[i] = stortop_sample_us(program);
		ratios[i] = ours[i] / iostat_sample_us();
	}
	bench_line(what, bench_median(ours, PAIRS), "us CPU", 0);
	if (system("command -v iostat >/dev/null") == 0)
		bench_line("  beside iostat -x, median of 5 pairs", bench_median(ratios, PAIRS), "x", bar);
	else
		puts("  no iostat here to compare with");
}

/* Milliseconds from the start until a row of this device is on the screen. */
static double
first_figures_ms(const char *dir, const char *device)
{
	struct program p;
	uint64_t started = lab_now_ms();
	double ms;

	program_start_tty(&p, dir, 60, 200, (const char *[]) { "--no-record", NULL });
	ms = program_shows(&p, device, 5000) ? (double)(lab_now_ms() - started) : NAN;
	program_type(&p, "q");
	program_end(&p, 0, 2000);
	program_free(&p);
	return ms;
}

/* At most this much memory, after so many intervals of the dashboard that records. */
static double
peak_mib(const char *dir, const char *device)
{
	struct program p;
	double mib;

	program_start_tty(&p, dir, 60, 200, (const char *[]) { "-d", "0.1", NULL });
	program_shows(&p, device, 5000);
	for (int i = 0; i < 100; i++)
		program_shows(&p, "\001", 100);	/* never there: reads what is drawn for 10 s */
	mib = (double)program_status_kb(&p, "VmHWM") / 1024;
	program_type(&p, "q");
	program_end(&p, 0, 5000);
	program_free(&p);
	return mib;
}

static void
on_screen(struct devices *d)
{
	double ms[BENCH_ROUNDS];
	const char *device = d->n > 0 ? d->loops[0].name : "vda";

	for (size_t i = 0; i < BENCH_ROUNDS; i++)
		ms[i] = first_figures_ms(d->dir, device);
	bench_line("first figures on the screen", bench_median(ms, BENCH_ROUNDS), "ms", 300);
	bench_line("peak memory, 20 devices, recording", peak_mib(d->dir, device), "MiB", 16);
}

int
main(void)
{
	struct devices *d = xcalloc(1, sizeof *d);
	const char *program = getenv("STORTOP"), *why = lab_cannot();

	if (program == NULL)
		program = "build/stortop";
	d->dir = lab_make_dir();
	d->backing = lab_memory_file(1 << 20);
	if (why == NULL)
		fill_up(d, FEW);
	else
		printf("%s: with the devices that are there\n", why);
	on_screen(d);
	beside_iostat(program, "a sample of 20 devices (-b)", 0.20);
	if (why == NULL) {
		fill_up(d, MANY);
		beside_iostat(program, "a sample of 1,000 devices (-b)", 0.07);
	}
	take_away(d);
	close(d->backing);
	lab_remove_dir(d->dir);
	free(d->dir);
	free(d);
	return 0;
}

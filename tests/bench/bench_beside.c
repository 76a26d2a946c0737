/*
 * What the dashboard costs a load beside it: the real program on a terminal, a tick and its recording every 2 s, with a test at full
 * speed on a loop device. CPU of all its threads and helpers that make no I/O, beside CPU of those that do.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/xalloc.h"
#include "tests/bench/bench.h"
#include "tests/lab/lab.h"

#define LOOP_MAJOR 7
#define LOOP_BYTES (256 << 20)
#define WINDOWS 7
#define WINDOW_MS 4000	/* two ticks */
#define KEY_END "\033OF"

struct cpu {
	double load_ns, rest_ns;
};

static int
read_line(const char *path, char *line, int size)
{
	FILE *f = fopen(path, "re");
	int ok = f != NULL && fgets(line, size, f) != NULL;

	if (f != NULL)
		fclose(f);
	return ok;
}

/* Workers and the kernel's threads for their I/O say so by name. */
static void
add_threads(pid_t pid, struct cpu *cpu)
{
	char path[320], name[64], spent[128];
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir != NULL && (e = readdir(dir)) != NULL) {
		snprintf(path, sizeof path, "/proc/%d/task/%s/comm", (int)pid, e->d_name);
		if (e->d_name[0] == '.' || !read_line(path, name, sizeof name))
			continue;
		snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", (int)pid, e->d_name);
		if (!read_line(path, spent, sizeof spent))
			continue;
		if (strncmp(name, "load\n", 5) == 0 || strncmp(name, "iou-", 4) == 0)
			cpu->load_ns += strtod(spent, NULL);
		else
			cpu->rest_ns += strtod(spent, NULL);
	}
	if (dir != NULL)
		closedir(dir);
}

static struct cpu
cpu_of(pid_t pid)
{
	struct cpu cpu = { 0 };
	char path[64], children[256] = "", *at = children, *end;
	long child;

	add_threads(pid, &cpu);
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
	read_line(path, children, sizeof children);
	for (; (child = strtol(at, &end, 10)) > 0; at = end)
		add_threads((pid_t)child, &cpu);
	return cpu;
}

/* Chooses "another" at the end of the list at hand and types this. */
static void
name_another(struct program *p, const char *title, const char *text)
{
	program_shows(p, title, 5000);
	program_type(p, KEY_END "\r");
	program_shows(p, "\001", 300);	/* never there: reads what is drawn */
	program_type(p, text);
	program_type(p, "\r");
}

/* The test of a job file on a device, on the test screen; false: no worker began. */
static int
begin_test(struct program *p, const char *job, const char *device)
{
	program_shows(p, "BUSIEST", 5000);
	program_type(p, "t");
	name_another(p, "which workload?", job);
	name_another(p, "on which target?", device);
	program_shows(p, "start", 5000);
	program_shows(p, "\001", 1000);	/* the device is looked at */
	program_type(p, "\r");
	if (program_shows(p, "type yes", 3000))	/* we have it open ourselves */
		program_type(p, "yes\r");
	program_shows(p, "\001", 3000);
	return cpu_of(p->pid).load_ns > 0;
}

/* Each of them is read at every tick. */
static int
block_devices(void)
{
	DIR *dir = opendir("/sys/block");
	int n = 0;

	while (dir != NULL && readdir(dir) != NULL)
		n++;
	if (dir != NULL)
		closedir(dir);
	return n > 2 ? n - 2 : 0;
}

static void
measure(const char *dir, const char *job, const char *device)
{
	double pct[WINDOWS], tick_us[WINDOWS], cores[WINDOWS];
	struct program p;
	char what[80];

	program_start_tty(&p, dir, 60, 200, (const char *[]) { "-d", "2", NULL });
	if (!begin_test(&p, job, device)) {
		puts("no test could be started beside the dashboard");
	} else {
		for (size_t i = 0; i < WINDOWS; i++) {
			struct cpu before = cpu_of(p.pid), after;

			program_shows(&p, "\001", WINDOW_MS);
			after = cpu_of(p.pid);
			pct[i] = (after.rest_ns - before.rest_ns) / (after.load_ns - before.load_ns) * 100;
			tick_us[i] = (after.rest_ns - before.rest_ns) / 2 / 1e3;
			cores[i] = (after.load_ns - before.load_ns) / (WINDOW_MS * 1e6) * 100;
		}
		bench_line("a load, 4k randread at depth 64 on a loop device", bench_median(cores, WINDOWS), "% of a core", 0);
		snprintf(what, sizeof what, "  a tick and its recording, %d devices", block_devices());
		bench_line(what, bench_median(tick_us, WINDOWS), "us CPU", 0);
		bench_line("  dashboard and recording, of the load's CPU", bench_median(pct, WINDOWS), "%", 1);
	}
	program_end(&p, SIGTERM, 5000);
	program_free(&p);
}

int
main(void)
{
	static const char text[] = "[a]\nrw=randread\nnorandommap\ndirect=1\niodepth=64\ntime_based\nruntime=5m\n";
	const char *why = lab_cannot();
	struct loop loop = { .fd = -1 };
	char *dir, *job, *device;
	int backing, fd;

	if (why != NULL) {
		printf("%s: no load beside the dashboard\n", why);
		return 0;
	}
	dir = lab_make_dir();
	job = xasprintf("%s/load.fio", dir);
	device = xasprintf("%s/device", dir);
	backing = lab_memory_file(LOOP_BYTES);
	fd = open(job, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd != -1 && write(fd, text, sizeof text - 1) == (ssize_t)sizeof text - 1 &&
	    lab_loop_add(&loop, backing, lab_first_number(), dir) == 0) {
		if (mknod(device, S_IFBLK | 0600, makedev(LOOP_MAJOR, (unsigned)loop.number)) == 0)
			measure(dir, job, device);
		lab_loop_remove(&loop);
	}
	close(fd);
	close(backing);
	lab_remove_dir(dir);
	free(device);
	free(job);
	free(dir);
	return 0;
}

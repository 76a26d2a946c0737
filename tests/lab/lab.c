#include "tests/lab/lab.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/loop.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/xalloc.h"

#define LOOP_MAJOR 7
#define BLOCK 4096

uint64_t
lab_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static void
sleep_ms(long ms)
{
	nanosleep(&(struct timespec) { .tv_nsec = ms * 1000000 }, NULL);
}

const char *
lab_cannot(void)
{
	if (geteuid() != 0)
		return "not root";
	if (access("/dev/loop-control", R_OK | W_OK) != 0)
		return "no /dev/loop-control";
	return NULL;
}

char *
lab_make_dir(void)
{
	char *dir = xstrdup("/tmp/stortop-lab-XXXXXX");

	if (mkdtemp(dir) == NULL) {
		perror(dir);
		abort();
	}
	return dir;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

void
lab_remove_dir(char *dir)
{
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

int
lab_first_number(void)
{
	static pid_t pid;	/* of the test, also in the processes it starts */

	if (pid == 0)
		pid = getpid();
	return (10 + pid % 900) * LAB_NUMBERS;
}

/* The first free number from `from` on: the kernel refuses one that exists. */
static int
new_number(int from)
{
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	int number = -1;

	if (control == -1)
		return -errno;
	for (int i = from; i < from + 20000 && number == -1; i++)
		if (ioctl(control, LOOP_CTL_ADD, i) == i)
			number = i;
		else if (errno != EEXIST)
			break;
	if (number == -1)
		number = -errno;
	close(control);
	return number;
}

static void
forget_number(int number)
{
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);

	/* EBUSY while the last close is under way; ENODEV: gone. */
	for (int i = 0; i < 200 && ioctl(control, LOOP_CTL_REMOVE, number) == -1 && errno == EBUSY; i++)
		sleep_ms(5);
	close(control);
}

/*
 * A test that is killed does not remove its loop devices, and each of them costs every reader of /proc/diskstats from then on: a
 * process of its own does, once this one and all it started have gone.
 */
static void
watch_over_numbers(void)
{
	static bool watched;
	int alive[2], first = lab_first_number();
	char byte;

	if (watched)
		return;
	watched = true;
	if (pipe2(alive, O_CLOEXEC) == -1 || fork() != 0)
		return;
	/* Whoever ends the test by a signal to its group does not mean this one. */
	setsid();
	for (int sig = SIGHUP; sig <= SIGTERM; sig++)
		signal(sig, SIG_IGN);
	for (int fd = 0; fd < 256; fd++)
		if (fd != alive[0])
			close(fd);
	while (read(alive[0], &byte, 1) > 0)
		;
	for (int i = first; i < first + LAB_NUMBERS; i++)
		forget_number(i);
	_exit(0);
}

static int
add(struct loop *loop, int backing, int from, const char *dir, int flags)
{
	struct loop_config config = { .fd = (uint32_t)backing, .info.lo_flags = LO_FLAGS_AUTOCLEAR };
	char *node;
	int error = 0, first;

	watch_over_numbers();
	loop->number = new_number(from);
	if (loop->number < 0)
		return loop->number;
	snprintf(loop->name, sizeof loop->name, "loop%d", loop->number);
	node = xasprintf("%s/%s", dir, loop->name);
	if (mknod(node, S_IFBLK | 0600, makedev(LOOP_MAJOR, (unsigned)loop->number)) == -1 && errno != EEXIST)
		error = -errno;
	/* What configures it for reading only makes it read-only. */
	first = open(node, flags | O_CLOEXEC);
	loop->fd = open(node, O_RDONLY | O_CLOEXEC);
	if (first == -1 || loop->fd == -1 || ioctl(first, LOOP_CONFIGURE, &config) == -1)
		error = -errno;
	if (first != -1)
		close(first);
	/* Only now: nothing could be read directly from a device without a size. */
	if (error == 0 && fcntl(loop->fd, F_SETFL, O_DIRECT) == -1)
		error = -errno;
	unlink(node);
	free(node);
	if (error != 0)
		lab_loop_remove(loop);
	return error;
}

int
lab_loop_add(struct loop *loop, int backing, int from, const char *dir)
{
	return add(loop, backing, from, dir, O_RDONLY);
}

int
lab_loop_add_writable(struct loop *loop, int backing, int from, const char *dir)
{
	return add(loop, backing, from, dir, O_RDWR);
}

void
lab_loop_remove(struct loop *loop)
{
	if (loop->fd != -1)
		close(loop->fd);
	loop->fd = -1;
	forget_number(loop->number);
}

int
lab_memory_file(off_t size)
{
	int fd = memfd_create("lab", MFD_CLOEXEC);

	if (fd == -1 || ftruncate(fd, size) == -1) {
		perror("memfd_create");
		abort();
	}
	return fd;
}

unsigned
lab_read_blocks(const struct loop *loop, unsigned blocks)
{
	static _Alignas(BLOCK) char buf[BLOCK];
	unsigned n = 0;

	for (unsigned i = 0; i < blocks; i++)
		n += pread(loop->fd, buf, sizeof buf, (off_t)i * BLOCK) == BLOCK;
	return n;
}

uint64_t
lab_reads(const char *name)
{
	FILE *f = fopen("/proc/diskstats", "re");
	char line[512], found[64];
	unsigned long long reads;
	uint64_t result = UINT64_MAX;

	while (f != NULL && fgets(line, sizeof line, f) != NULL)
		if (sscanf(line, "%*u %*u %63s %llu", found, &reads) == 2 && strcmp(found, name) == 0)
			result = reads;
	if (f != NULL)
		fclose(f);
	return result;
}

static _Noreturn void
run_program(const char *home, const char *const *args)
{
	const char *program = getenv("STORTOP");
	const char *argv[32] = { program != NULL ? program : "build/stortop" };

	for (size_t i = 0; args[i] != NULL && i < 30; i++)
		argv[i + 1] = args[i];
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setenv("HOME", home, 1);
	unsetenv("XDG_STATE_HOME");
	unsetenv("XDG_CONFIG_HOME");
	execv(argv[0], (char *const *)(uintptr_t)argv);
	perror(argv[0]);
	_exit(127);
}

void
program_start(struct program *p, const char *dir, const char *const *args)
{
	program_start_home(p, dir, dir, args);
}

static void
start(struct program *p, const char *dir, const char *home, bool heard, const char *const *args)
{
	*p = (struct program) { .output = xasprintf("%s/output-XXXXXX", dir) };
	p->fd = mkostemp(p->output, O_CLOEXEC);
	if (p->fd == -1) {
		perror(p->output);
		abort();
	}
	p->pid = fork();
	if (p->pid == 0) {
		dup2(open(p->output, O_WRONLY | O_APPEND), STDOUT_FILENO);
		if (heard)
			dup2(STDOUT_FILENO, STDERR_FILENO);
		run_program(home, args);
	}
}

void
program_start_home(struct program *p, const char *dir, const char *home, const char *const *args)
{
	start(p, dir, home, false, args);
}

void
program_start_heard(struct program *p, const char *dir, const char *const *args)
{
	start(p, dir, dir, true, args);
}

void
program_start_tty(struct program *p, const char *home, unsigned short rows, unsigned short columns,
    const char *const *args)
{
	struct winsize size = { .ws_row = rows, .ws_col = columns };

	*p = (struct program) { .fd = -1 };
	p->pid = forkpty(&p->fd, NULL, NULL, &size);
	if (p->pid == 0) {
		setenv("TERM", "xterm-256color", 1);
		setenv("LC_ALL", "C.UTF-8", 1);
		run_program(home, args);
	}
	fcntl(p->fd, F_SETFL, O_NONBLOCK);
	fcntl(p->fd, F_SETFD, FD_CLOEXEC);
}

void
program_type(struct program *p, const char *keys)
{
	if (write(p->fd, keys, strlen(keys)) == -1)
		perror("terminal");
}

/* Reads on: true when there was something new. */
static bool
read_more(struct program *p)
{
	ssize_t n;

	if (p->cap - p->len < 4096)
		p->buf = xreallocarray(p->buf, p->cap = p->cap * 2 + 65536, 1);
	n = read(p->fd, p->buf + p->len, p->cap - p->len);
	if (n > 0)
		p->len += (size_t)n;
	return n > 0;
}

bool
program_shows(struct program *p, const char *text, int timeout_ms)
{
	uint64_t until = lab_now_ms() + (uint64_t)timeout_ms;
	size_t len = strlen(text);
	char *at;

	while ((at = p->len > 0 ? memmem(p->buf, p->len, text, len) : NULL) == NULL) {
		if (read_more(p))
			continue;
		if (lab_now_ms() >= until)
			return false;
		sleep_ms(1);
	}
	p->len -= (size_t)(at + len - p->buf);
	memmove(p->buf, at + len, p->len);
	return true;
}

const char *
program_line(struct program *p, int timeout_ms)
{
	uint64_t until = lab_now_ms() + (uint64_t)timeout_ms;
	char *end;

	while ((end = p->len > 0 ? memchr(p->buf, '\n', p->len) : NULL) == NULL) {
		if (read_more(p))
			continue;
		if (lab_now_ms() >= until)
			return NULL;
		sleep_ms(2);
	}
	free(p->line);
	p->line = xstrndup(p->buf, (size_t)(end - p->buf));
	p->len -= (size_t)(end + 1 - p->buf);
	memmove(p->buf, end + 1, p->len);
	return p->line;
}

int
program_end(struct program *p, int signal, int timeout_ms)
{
	uint64_t until = lab_now_ms() + (uint64_t)timeout_ms;
	int status = 0;
	pid_t done;

	kill(p->pid, signal);
	/* Its last words are read, or a terminal that is full would hold it. */
	while ((done = waitpid(p->pid, &status, WNOHANG)) == 0 && lab_now_ms() < until)
		if (!read_more(p))
			sleep_ms(5);
	if (done != p->pid) {
		kill(p->pid, SIGKILL);
		/* One that waits for a dead disk is not to be killed before whoever stopped the disk has let it go on. */
		for (int ms = 0; ms < 5000 && waitpid(p->pid, NULL, WNOHANG) == 0; ms += 5)
			sleep_ms(5);
		status = -1;
	}
	p->pid = 0;
	return status;
}

long
program_status_kb(const struct program *p, const char *field)
{
	char *path = xasprintf("/proc/%d/status", (int)p->pid), line[256];
	FILE *f = fopen(path, "re");
	size_t len = strlen(field);
	long kb = 0;

	while (f != NULL && fgets(line, sizeof line, f) != NULL)
		if (strncmp(line, field, len) == 0 && line[len] == ':')
			kb = strtol(line + len + 1, NULL, 10);
	if (f != NULL)
		fclose(f);
	free(path);
	return kb;
}

bool
program_says(struct program *p, const char *text, int timeout_ms)
{
	uint64_t until = lab_now_ms() + (uint64_t)timeout_ms;
	uint64_t now;
	const char *line;

	do {
		now = lab_now_ms();
		line = program_line(p, now < until ? (int)(until - now) : 0);
	} while (line != NULL && strstr(line, text) == NULL);
	return line != NULL;
}

int
program_run(const char *dir, const char *const *args, char *out, size_t size)
{
	struct program p;
	size_t len = 0;
	int status;

	program_start_heard(&p, dir, args);
	if (waitpid(p.pid, &status, 0) != p.pid)
		status = -1;
	p.pid = 0;
	while (read_more(&p))
		;
	len = p.len < size - 1 ? p.len : size - 1;
	memcpy(out, p.buf, len);
	out[len] = '\0';
	program_free(&p);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void
program_free(struct program *p)
{
	if (p->pid > 0)
		program_end(p, SIGKILL, 1000);
	if (p->fd != -1)
		close(p->fd);
	free(p->output);
	free(p->buf);
	free(p->line);
	*p = (struct program) { .fd = -1 };
}

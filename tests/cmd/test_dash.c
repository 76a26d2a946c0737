/*
 * The real program in a terminal, and through pipes. STORTOP names it.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <utmp.h>

#include <cmocka.h>

#include "tests/views/vt.h"

#define PATIENCE_MS 20000	/* under sanitizers on a loaded machine */

struct scene {
	char home[64];
	int master, slave;	/* of the terminal; the slave is kept open to read its modes */
	struct termios modes;
	pid_t shell, program;	/* the program runs below a process that plays the shell */
	int events;		/* what the shell saw: pairs of pid and status */
	size_t received;	/* bytes from the terminal */
	struct vt vt;
};

static const char *
program_path(void)
{
	const char *path = getenv("STORTOP");

	if (path == NULL)
		print_message("STORTOP does not name the program\n");
	return path;
}

static int
scene_make(void **state)
{
	static struct scene s;

	memset(&s, 0, sizeof(s));
	s.master = s.slave = s.events = -1;
	strcpy(s.home, "/tmp/stortop-dash-XXXXXX");
	assert_non_null(mkdtemp(s.home));
	*state = &s;
	return 0;
}

static int
scene_remove(void **state)
{
	struct scene *s = *state;
	char command[128];

	if (s->program > 0)
		kill(s->program, SIGKILL);
	if (s->shell > 0) {
		kill(s->shell, SIGKILL);
		waitpid(s->shell, NULL, 0);
	}
	for (int *fd = (int[]) { s->master, s->slave, s->events, -2 }, *p = fd; *p != -2; p++)
		if (*p >= 0)
			close(*p);
	snprintf(command, sizeof(command), "rm -rf %s", s->home);
	return system(command);
}

static void
environment(const struct scene *s, const char *term)
{
	setenv("HOME", s->home, 1);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("XDG_STATE_HOME");
	unsetenv("NO_COLOR");
	setenv("LC_ALL", "C.UTF-8", 1);
	if (term != NULL)
		setenv("TERM", term, 1);
	else
		unsetenv("TERM");
}

/* Starts the program in a process group of its own and tells the test what becomes of it. */
static _Noreturn void
play_shell(const struct scene *s, const char *term, char *const *argv, int report)
{
	pid_t pid;
	int status;

	signal(SIGTTOU, SIG_IGN);
	pid = fork();
	if (pid == 0) {
		environment(s, term);
		setpgid(0, 0);
		tcsetpgrp(STDIN_FILENO, getpid());
		signal(SIGTTOU, SIG_DFL);
		execv(argv[0], argv);
		_exit(127);
	}
	setpgid(pid, pid);
	status = 0;
	(void)!write(report, (int[]) { (int)pid, -1 }, 2 * sizeof(int));
	while (waitpid(pid, &status, WUNTRACED) == pid || errno == EINTR) {
		(void)!write(report, (int[]) { (int)pid, status }, 2 * sizeof(int));
		if (WIFEXITED(status) || WIFSIGNALED(status))
			_exit(0);
	}
	_exit(1);
}

static bool
wait_readable(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

/* What the terminal has to say goes to the picture of it. */
static void
pump(struct scene *s, int ms)
{
	char data[4096];

	while (wait_readable(s->master, ms)) {
		ssize_t n = read(s->master, data, sizeof(data));

		if (n <= 0)
			return;
		vt_feed(&s->vt, data, (size_t)n);
		s->received += (size_t)n;
		ms = 0;
	}
}

static int64_t
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void
wait_for(struct scene *s, const char *text)
{
	int64_t end = now_ms() + PATIENCE_MS;

	while (!vt_shows(&s->vt, text)) {
		if (now_ms() > end)
			fail_msg("no %s on the screen:\n%s", text, vt_text(&s->vt));
		pump(s, 50);
	}
}

/* What became of the program next: exited, killed or stopped. */
static int
wait_status(struct scene *s)
{
	int64_t end = now_ms() + PATIENCE_MS;
	int event[2];

	while (!wait_readable(s->events, 10)) {
		if (now_ms() > end)
			fail_msg("nothing became of the program:\n%s", vt_text(&s->vt));
		pump(s, 10);
	}
	assert_int_equal(read(s->events, event, sizeof(event)), sizeof(event));
	s->program = event[0];
	pump(s, 50);
	return event[1];
}

static void
start(struct scene *s, const char *term, const char *options, int rows, int cols)
{
	struct winsize size = { .ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols };
	char *words = strdup(options), *rest = words, *argv[16] = { NULL };
	int report[2], n = 1;

	argv[0] = realpath(program_path(), NULL);
	while ((argv[n] = strsep(&rest, " ")) != NULL)
		n++;
	assert_int_equal(pipe(report), 0);
	assert_int_equal(openpty(&s->master, &s->slave, NULL, NULL, &size), 0);
	assert_int_equal(tcgetattr(s->slave, &s->modes), 0);
	s->shell = fork();
	if (s->shell == 0) {
		close(report[0]);
		close(s->master);
		if (login_tty(s->slave) != 0)
			_exit(126);
		play_shell(s, term, argv, report[1]);
	}
	close(report[1]);
	s->events = report[0];
	vt_init(&s->vt, rows, cols);
	assert_int_equal(wait_status(s), -1);
	free(argv[0]);
	free(words);
}

/* Until nothing more comes. */
static void
settle(struct scene *s)
{
	size_t before = s->received + 1;

	while (s->received != before) {
		before = s->received;
		pump(s, 100);
	}
}

/* Another size, and all that the program draws for it. Nothing may be on its way for the one before. */
static void
resize(struct scene *s, int rows, int cols)
{
	struct winsize size = { .ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols };
	int64_t end = now_ms() + PATIENCE_MS;
	size_t before = s->received;

	vt_resize(&s->vt, rows, cols);
	assert_int_equal(ioctl(s->slave, TIOCSWINSZ, &size), 0);
	while (s->received == before && now_ms() < end)
		pump(s, 50);
	settle(s);
}

static void
press(struct scene *s, const char *keys)
{
	assert_int_equal(write(s->master, keys, strlen(keys)), (ssize_t)strlen(keys));
}

static void
assert_given_back(struct scene *s)
{
	struct termios modes;

	assert_false(s->vt.alternate);
	assert_true(s->vt.cursor);
	assert_false(s->vt.mouse);
	assert_int_equal(tcgetattr(s->slave, &modes), 0);
	assert_int_equal(modes.c_lflag, s->modes.c_lflag);
	assert_int_equal(modes.c_iflag, s->modes.c_iflag);
	assert_int_equal(modes.c_oflag, s->modes.c_oflag);
}

static void
test_a_session(void **state)
{
	struct scene *s = *state;

	if (program_path() == NULL)
		skip();
	start(s, "xterm", "-d 0.2 --no-record", 24, 80);
	wait_for(s, "BUSIEST");
	assert_true(s->vt.alternate);
	assert_false(s->vt.cursor);
	assert_true(s->vt.mouse);
	assert_true(vt_shows(&s->vt, "q quit"));
	press(s, "?");
	wait_for(s, "Keys of overview");
	/* End and Home as PuTTY sends them, who says that it is xterm */
	press(s, "\033[4~");
	wait_for(s, "stortop.ini");
	press(s, "\033[1~");
	wait_for(s, "Keys of overview");
	press(s, "\033");
	wait_for(s, "BUSIEST");
	press(s, "c");
	wait_for(s, "%USED");
	press(s, "s0.3\r");
	wait_for(s, "every 0.3 s");
	/* a click on a tab */
	press(s, "\033[M !\"");
	press(s, "mCnosuch0\r");
	wait_for(s, "there is no nosuch0 here, but ");
	press(s, "u");
	wait_for(s, "DEVICE");
	assert_int_equal(s->vt.outside, 0);
	press(s, "q");
	assert_int_equal(wait_status(s), 0);
	assert_given_back(s);
}

static void
test_resizing(void **state)
{
	static const int sizes[][2] = { { 5, 20 }, { 1, 1 }, { 10, 40 }, { 100, 300 }, { 24, 80 } };
	struct scene *s = *state;

	if (program_path() == NULL)
		skip();
	/* one interval of 0.2 s, and then nothing for long; it records, so there is a second thread */
	start(s, "xterm", "-d 100", 24, 80);
	wait_for(s, "BUSIEST");
	settle(s);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		resize(s, sizes[i][0], sizes[i][1]);
		assert_int_equal(s->vt.outside, 0);
	}
	wait_for(s, "q quit");
	press(s, "q");
	assert_int_equal(wait_status(s), 0);
	assert_given_back(s);
}

static void
test_suspended_and_continued(void **state)
{
	struct scene *s = *state;
	int status;

	if (program_path() == NULL)
		skip();
	start(s, "xterm", "-d 0.2 --no-record", 24, 80);
	wait_for(s, "BUSIEST");
	press(s, "\032");
	status = wait_status(s);
	assert_true(WIFSTOPPED(status));
	assert_given_back(s);
	vt_init(&s->vt, 24, 80);
	kill(s->program, SIGCONT);
	wait_for(s, "BUSIEST");
	wait_for(s, "q quit");
	assert_true(s->vt.alternate);
	/* SIGSTOP cannot be caught; what was overwritten meanwhile is drawn again */
	kill(s->program, SIGSTOP);
	status = wait_status(s);
	assert_true(WIFSTOPPED(status));
	pump(s, 0);
	vt_init(&s->vt, 24, 80);
	kill(s->program, SIGCONT);
	wait_for(s, "q quit");
	press(s, "q");
	assert_int_equal(wait_status(s), 0);
	s->vt.cursor = true;
	s->vt.mouse = false;
	assert_given_back(s);
}

static void
test_killed(void **state)
{
	static const int signals[] = { SIGTERM, SIGHUP, SIGINT, SIGSEGV, SIGABRT, SIGQUIT };

	if (program_path() == NULL)
		skip();
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct scene *s;
		int status;

		if (i > 0) {
			scene_remove(state);
			scene_make(state);
		}
		s = *state;
		start(s, "xterm", "-d 0.2 --no-record", 24, 80);
		wait_for(s, "BUSIEST");
		kill(s->program, signals[i]);
		status = wait_status(s);
		if (i < 3)
			assert_int_equal(status, 0);
		else
			assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == signals[i] : WEXITSTATUS(status) != 0);
		assert_given_back(s);
	}
}

static void
test_terminal_goes_away(void **state)
{
	struct scene *s = *state;
	int event[2];

	if (program_path() == NULL)
		skip();
	start(s, "xterm", "-d 0.2 --no-record", 24, 80);
	wait_for(s, "BUSIEST");
	close(s->master);
	close(s->slave);
	s->master = s->slave = -1;
	/* the shell goes with its terminal, and the pipe with both */
	assert_true(wait_readable(s->events, PATIENCE_MS));
	while (read(s->events, event, sizeof(event)) == sizeof(event))
		;
	for (int64_t end = now_ms() + PATIENCE_MS; kill(s->program, 0) == 0 && now_ms() < end;)
		poll(NULL, 0, 10);
	assert_true(kill(s->program, 0) != 0);
	s->program = 0;
}

static void
test_terminals_that_cannot_carry_a_screen(void **state)
{
	static const struct {
		const char *term, *says;
	} cases[] = {
		{ "dumb", "TERM=dumb cannot move the cursor: plain lines" },
		{ NULL, "TERM is not set: plain lines" },
		{ "", "TERM is not set: plain lines" },
	};

	if (program_path() == NULL)
		skip();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scene *s;

		if (i > 0) {
			scene_remove(state);
			scene_make(state);
		}
		s = *state;
		start(s, cases[i].term, "-d 0.1 -n 2 --no-record", 24, 80);
		wait_for(s, cases[i].says);
		wait_for(s, "DEVICE");
		assert_int_equal(wait_status(s), 0);
		assert_false(s->vt.alternate);
		assert_given_back(s);
	}
}

static void
test_unknown_terminal(void **state)
{
	struct scene *s = *state;

	if (program_path() == NULL)
		skip();
	start(s, "no-such-terminal", "-d 0.2 --no-record", 24, 80);
	wait_for(s, "TERM=no-such-terminal is not known here: taken for ");
	press(s, "q");
	assert_int_equal(wait_status(s), 0);
}

/* No second screen to go back to: the shell's prompt must not stand in the middle of our last line. */
static void
test_terminal_with_one_screen(void **state)
{
	struct scene *s = *state;

	if (program_path() == NULL)
		skip();
	start(s, "vt100", "-d 0.2 --no-record", 24, 80);
	wait_for(s, "q quit");
	assert_false(s->vt.alternate);
	press(s, "q");
	assert_int_equal(wait_status(s), 0);
	settle(s);
	assert_false(vt_shows(&s->vt, "h help"));
	assert_true(vt_shows(&s->vt, "o overview"));
}

/* W writes, and the next start takes it. */
static void
test_configuration(void **state)
{
	struct scene *s = *state;
	char path[160];
	struct stat st;

	if (program_path() == NULL)
		skip();
	start(s, "xterm", "-d 0.2 --no-record", 24, 80);
	wait_for(s, "BUSIEST");
	press(s, "u");
	wait_for(s, "DEVICE");
	snprintf(path, sizeof(path), "%s/.config/stortop/stortop.ini", s->home);
	assert_int_equal(stat(path, &st), -1);
	press(s, "W");
	wait_for(s, "saved to");
	assert_int_equal(stat(path, &st), 0);
	press(s, "q");
	assert_int_equal(wait_status(s), 0);
	close(s->master);
	close(s->slave);
	close(s->events);
	waitpid(s->shell, NULL, 0);
	start(s, "xterm", "--no-record", 24, 80);
	wait_for(s, "DEVICE");
	wait_for(s, "every 0.2 s");
	press(s, "q");
	assert_int_equal(wait_status(s), 0);
}

/* Test files below the home directory. */
static size_t
test_files(const struct scene *s)
{
	char pattern[128];
	glob_t found;
	size_t n;

	snprintf(pattern, sizeof(pattern), "%s/stortop-*.test", s->home);
	n = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
	globfree(&found);
	return n;
}

/* Further than to the last line it does not go. */
#define LAST "jjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjj"

/* From t to a test of 8 MiB in the home directory that would run for a minute. */
static void
start_a_test(struct scene *s)
{
	char text[160];
	FILE *f;

	snprintf(text, sizeof(text), "%s/mix.fio", s->home);
	f = fopen(text, "w");
	assert_non_null(f);
	fputs("[mix]\nrw=randrw\nbs=4k\niodepth=4\nsize=8m\ntime_based\nruntime=60\n", f);
	assert_int_equal(fclose(f), 0);
	press(s, "t");
	wait_for(s, "which workload?");
	press(s, LAST "\r");
	wait_for(s, "fio job file: ");
	press(s, text);
	press(s, "\r");
	wait_for(s, "which target?");
	press(s, LAST "\r");
	wait_for(s, "directory, file, device or URL: ");
	press(s, s->home);
	press(s, "\r");
	wait_for(s, "file system");
	press(s, "\r");
	wait_for(s, "measure  00:");
	assert_int_equal(test_files(s), 1);
}

/* A test runs, and everything else goes on beside it; its result stays, its file does not. */
static void
test_a_test(void **state)
{
	struct scene *s = *state;

	if (program_path() == NULL)
		skip();
	start(s, "xterm", "-d 0.2", 24, 80);
	wait_for(s, "BUSIEST");
	start_a_test(s);
	press(s, "q");
	wait_for(s, "stop it and quit?");
	press(s, "n");
	wait_for(s, "x stop");
	press(s, "\003");
	wait_for(s, "stop it and quit?");
	press(s, "n");
	wait_for(s, "x stop");
	press(s, "\032");
	wait_for(s, "not to be suspended");
	press(s, "u");
	wait_for(s, "DEVICE");
	assert_true(vt_shows(&s->vt, "TEST measure"));
	press(s, "t");
	wait_for(s, "x stop");
	press(s, "x");
	wait_for(s, "= compare");
	assert_true(vt_shows(&s->vt, "stopped"));
	assert_int_equal(test_files(s), 0);
	wait_for(s, "run 1");
	/* where it ran is offered as it was named, though its file is gone */
	press(s, "\033");
	wait_for(s, "which workload?");
	press(s, "k\r");
	wait_for(s, "last test: ");
	assert_false(vt_shows(&s->vt, " /tmp "));
	assert_true(vt_shows(&s->vt, s->home));
	press(s, "q");
	assert_int_equal(wait_status(s), 0);
	assert_given_back(s);
}

/* The kernel tells of a lost terminal, and a shell once more: the test is ended in good order all the same. */
static void
test_terminal_goes_away_in_a_test(void **state)
{
	struct scene *s = *state;

	if (program_path() == NULL)
		skip();
	start(s, "xterm", "-d 0.2 --no-record", 24, 80);
	wait_for(s, "BUSIEST");
	start_a_test(s);
	close(s->master);
	close(s->slave);
	s->master = s->slave = -1;
	for (int64_t end = now_ms() + PATIENCE_MS; kill(s->program, SIGHUP) == 0 && now_ms() < end;)
		poll(NULL, 0, 1);
	assert_true(kill(s->program, 0) != 0);
	s->program = 0;
	assert_int_equal(test_files(s), 0);
}

/* Runs a command line of the shell with $STORTOP in it; its status, and what it printed. */
static int
run(const struct scene *s, const char *command, char *out, size_t size)
{
	FILE *p;
	size_t n;

	setenv("HOME", s->home, 1);
	setenv("LC_ALL", "C", 1);
	p = popen(command, "r");
	assert_non_null(p);
	n = fread(out, 1, size - 1, p);
	out[n] = '\0';
	return WEXITSTATUS(pclose(p));
}

static unsigned
occurrences(const char *text, const char *of)
{
	unsigned n = 0;

	for (; (text = strstr(text, of)) != NULL; text++)
		n++;
	return n;
}

static void
test_pipes(void **state)
{
	struct scene *s = *state;
	char out[65536];

	if (program_path() == NULL)
		skip();
	assert_int_equal(run(s, "$STORTOP -d 0.1 -n 3 --no-record 2>&1 </dev/null", out, sizeof(out)), 0);
	assert_int_equal(occurrences(out, " DEVICE "), 3);
	assert_null(strchr(out, '\033'));
	/* a reader that goes away ends it quietly */
	assert_int_equal(run(s, "(timeout 20 $STORTOP -d 0.1 --no-record; echo status $? >&2) 2>&1 </dev/null | head -n 1; ",
	    out, sizeof(out)), 0);
	assert_int_equal(occurrences(out, "\n"), 1);
	assert_int_equal(run(s, "(timeout 20 $STORTOP -d 0.1 --no-record 2>&1; echo status $? >$HOME/status) </dev/null | "
	    "head -n 1 >/dev/null; cat $HOME/status", out, sizeof(out)), 0);
	assert_string_equal(out, "status 0\n");
}

static void
test_bad_configuration(void **state)
{
	struct scene *s = *state;
	char out[4096];

	if (program_path() == NULL)
		skip();
	assert_int_equal(run(s, "$STORTOP --no-record --config $HOME/none.ini 2>&1 </dev/null", out, sizeof(out)), 2);
	assert_non_null(strstr(out, "none.ini: No such file"));
	assert_int_equal(occurrences(out, "\n"), 1);
	assert_int_equal(run(s, "printf '[stortop]\\ninterval = soon\\n' >$HOME/a.ini; "
	    "$STORTOP --no-record --config $HOME/a.ini 2>&1 </dev/null", out, sizeof(out)), 2);
	assert_non_null(strstr(out, "[stortop] interval = soon: a time from 0.1 s"));
	assert_int_equal(run(s, "printf '[devices]\\nfields = speed\\n' >$HOME/b.ini; "
	    "$STORTOP --no-record --config $HOME/b.ini 2>&1 </dev/null", out, sizeof(out)), 2);
	assert_non_null(strstr(out, "there is no speed"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scene_make, scene_remove)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_session),
		TEST(test_resizing),
		TEST(test_suspended_and_continued),
		TEST(test_killed),
		TEST(test_terminal_goes_away),
		TEST(test_a_test),
		TEST(test_terminal_goes_away_in_a_test),
		TEST(test_terminals_that_cannot_carry_a_screen),
		TEST(test_unknown_terminal),
		TEST(test_terminal_with_one_screen),
		TEST(test_configuration),
		TEST(test_pipes),
		TEST(test_bad_configuration),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Dead storage: a loop device over a file on a FUSE mount whose server is stopped. It accepts I/O and completes none,
 * and nothing below the mount answers. stortop must say so, and neither wait for it nor be kept from ending.
 *
 * The mount is in a namespace of our own, and the server is killed when the test dies, so nothing is left behind: the
 * kernel then fails whatever still waits for it.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "core/xalloc.h"
#include "tests/lab/lab.h"

#define FILE_BYTES (64 << 20)

struct fixture {
	char *dir, *under, *over, *db;
	pid_t server, reader;
	struct loop loop;
	struct program p;
};

static const char *
cannot(void)
{
	const char *why = lab_cannot();

	if (why != NULL)
		return why;
	if (access("/dev/fuse", R_OK | W_OK) != 0)
		return "no /dev/fuse";
	if (system("command -v bindfs >/dev/null") != 0)
		return "no bindfs";
	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return "no mount namespace of our own";
	return NULL;
}

static dev_t
device_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_dev : 0;
}

static int
start_server(struct fixture *f)
{
	uint64_t until = lab_now_ms() + 5000;

	f->server = fork();
	if (f->server == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execlp("bindfs", "bindfs", "-f", f->under, f->over, (char *)NULL);
		_exit(127);
	}
	while (device_of(f->over) == device_of(f->dir))
		if (lab_now_ms() > until)
			return -ETIMEDOUT;
		else
			usleep(5000);
	return 0;
}

/*
 * Not before it stands: a request that it takes with its last step is one that nobody can be interrupted in, and a program that waits
 * for it cannot even be killed.
 */
static void
stop_server(struct fixture *f)
{
	int status;

	kill(f->server, SIGSTOP);
	assert_int_equal(waitpid(f->server, &status, WUNTRACED), f->server);
	assert_true(WIFSTOPPED(status));
}

/* Reads the device without end: hangs, beyond the reach of signals, while the server is stopped. */
static void
start_reader(struct fixture *f)
{
	f->reader = fork();
	if (f->reader != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		lab_read_blocks(&f->loop, 4);
		usleep(5000);
	}
}

static void
make_paths(struct fixture *f)
{
	char *file;
	int fd;

	f->dir = lab_make_dir();
	f->under = xasprintf("%s/under", f->dir);
	f->over = xasprintf("%s/over", f->dir);
	f->db = xasprintf("%s/lab.db", f->dir);
	file = xasprintf("%s/disk", f->under);
	mkdir(f->under, 0700);
	mkdir(f->over, 0700);
	fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(ftruncate(fd, FILE_BYTES), 0);
	close(fd);
	free(file);
}

/* NULL in *state where it cannot be done. */
static int
set_up(void **state)
{
	struct fixture *f;
	const char *why = cannot();
	char *file;
	int backing, rc;

	if (why != NULL) {
		print_message("skipped: %s\n", why);
		return 0;
	}
	f = *state = xcalloc(1, sizeof *f);
	f->p.fd = f->loop.fd = -1;
	make_paths(f);
	rc = start_server(f);
	if (rc != 0)
		return rc;
	file = xasprintf("%s/disk", f->over);
	/* Direct, or the page cache would answer for the server. */
	backing = open(file, O_RDWR | O_DIRECT | O_CLOEXEC);
	free(file);
	rc = lab_loop_add(&f->loop, backing, lab_first_number(), f->dir);
	/* Every close asks the server: what we start later must not inherit it. */
	close(backing);
	if (rc == 0)
		start_reader(f);
	return rc;
}

static void
end_child(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static int
tear_down(void **state)
{
	struct fixture *f = *state;

	if (f == NULL)
		return 0;
	/* First of all: nothing may still wait for the server. */
	if (f->server > 0)
		kill(f->server, SIGCONT);
	program_free(&f->p);
	end_child(f->reader);
	if (f->loop.fd != -1)
		lab_loop_remove(&f->loop);
	umount2(f->over, MNT_DETACH);
	end_child(f->server);
	lab_remove_dir(f->dir);
	free(f->dir);
	free(f->under);
	free(f->over);
	free(f->db);
	free(f);
	return 0;
}

/* The part of a JSON line that is the row of the device, or NULL. */
static char *
row_of(const char *line, const char *name)
{
	char *key = xasprintf("\"object\":\"%s\"", name);
	const char *at = strstr(line, key);

	free(key);
	return at != NULL ? xstrndup(at, strcspn(at, "}")) : NULL;
}

/* Reads lines until the device's row has (or has not) a stall; how many lines it took, or fails after `most`. */
static int
lines_until(struct fixture *f, bool stalled, int most)
{
	for (int n = 1; n <= most; n++) {
		const char *line = program_line(&f->p, 5000);
		char *row;
		bool is;

		assert_non_null(line);
		row = row_of(line, f->loop.name);
		is = row != NULL && strstr(row, "\"stalled_s\"") != NULL;
		if (row != NULL && is == stalled) {
			free(row);
			return n;
		}
		free(row);
	}
	fail_msg("%s %s within %d lines", f->loop.name, stalled ? "not stalled" : "still stalled", most);
	return -1;
}

static int
count_events(const char *path, const char *type, const char *name)
{
	char *sql = xasprintf("select count(*) from event join object on object.id = event.object "
	    "where type = '%s' and name = '%s'", type, name);
	sqlite3 *db;
	sqlite3_stmt *statement;
	int n;

	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	n = sqlite3_column_int(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	free(sql);
	return n;
}

static void
assert_ends(struct program *p, int signal)
{
	int status = program_end(p, signal, 2000);

	assert_int_not_equal(status, -1);
	assert_true(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 130));
}

static void
test_stalled_device(void **state)
{
	struct fixture *f = *state;

	if (f == NULL)
		skip();
	program_start(&f->p, f->dir, (const char *[]) { "-b", "--format", "json", "--kind", "disk", "-d", "0.3",
	    "--db", f->db, NULL });
	lines_until(f, false, 3);
	stop_server(f);
	/* The interval of the stop may still have seen completions; two without are a stall. */
	lines_until(f, true, 3);
	kill(f->server, SIGCONT);
	lines_until(f, false, 3);
	stop_server(f);
	lines_until(f, true, 3);
	assert_ends(&f->p, SIGINT);
	assert_int_equal(count_events(f->db, "stall", f->loop.name), 2);
	assert_int_equal(count_events(f->db, "resume", f->loop.name), 1);
}

/* The dashboard says what stands still, and q ends it all the same. */
static void
test_dashboard(void **state)
{
	struct fixture *f = *state;
	int status;

	if (f == NULL)
		skip();
	program_start_tty(&f->p, f->dir, 40, 120, (const char *[]) { "-d", "0.3", "--db", f->db, NULL });
	assert_true(program_shows(&f->p, f->loop.name, 2000));
	stop_server(f);
	assert_true(program_shows(&f->p, "nothing completed for", 3000));
	program_type(&f->p, "q");
	status = program_end(&f->p, 0, 2000);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_int_equal(count_events(f->db, "stall", f->loop.name), 1);
}

/* Home, and with it the configuration, and a mounted file system do not answer: figures come all the same. */
static void
test_hanging_mount(void **state)
{
	struct fixture *f = *state;
	uint64_t started;

	if (f == NULL)
		skip();
	stop_server(f);
	started = lab_now_ms();
	program_start_home(&f->p, f->dir, f->over, (const char *[]) { "-b", "--format", "tidy", "-d", "0.1", NULL });
	assert_non_null(program_line(&f->p, 5000));
	assert_non_null(program_line(&f->p, 5000));
	assert_in_range(lab_now_ms() - started, 0, 1500);
	assert_ends(&f->p, SIGTERM);
	program_free(&f->p);

	/* The leak check would stop every thread first, also the one that waits for the dead home. */
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
	program_start_tty(&f->p, f->over, 40, 120, (const char *[]) { NULL });
	assert_true(program_shows(&f->p, f->loop.name, 1500));
	program_type(&f->p, "q");
	/* It gives up the database, which is below its home, after 2 s. */
	assert_int_equal(program_end(&f->p, 0, 4000), 0);
}

/* A target that does not answer: said after two seconds, the screen goes on, and who stops it is told why it never began. */
static void
test_target_does_not_answer(void **state)
{
	struct fixture *f = *state;

	if (f == NULL)
		skip();
	stop_server(f);
	program_start_tty(&f->p, f->dir, 40, 120, (const char *[]) { "run", "--no-record", "oltp-4k", f->over, NULL });
	assert_true(program_shows(&f->p, "oltp-4k: prepare", 3000));
	program_type(&f->p, "\003");
	assert_true(program_shows(&f->p, "was looked at", 2000));
	assert_int_equal(WEXITSTATUS(program_end(&f->p, 0, 2000)), 130);
	program_free(&f->p);
	kill(f->server, SIGCONT);

	program_start_tty(&f->p, f->dir, 40, 120, (const char *[]) { "-d", "0.3", "--no-record", NULL });
	assert_true(program_shows(&f->p, f->loop.name, 2000));
	program_type(&f->p, "t\r");
	assert_true(program_shows(&f->p, "on which target?", 2000));
	program_type(&f->p, "\033OF\r");
	assert_true(program_shows(&f->p, "directory, file, device or URL:", 2000));
	program_type(&f->p, f->over);
	program_type(&f->p, "\r");
	assert_true(program_shows(&f->p, "file system", 2000));
	stop_server(f);
	program_type(&f->p, "\r");
	assert_true(program_shows(&f->p, "TEST prepare", 2000));
	assert_true(program_shows(&f->p, "has not answered for", 4000));
	program_type(&f->p, "x");
	assert_true(program_shows(&f->p, "stopped while", 2000));
	program_type(&f->p, "q");
	assert_int_equal(program_end(&f->p, 0, 2000), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_stalled_device, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_dashboard, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_hanging_mount, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_target_does_not_answer, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("stall", tests, NULL, NULL);
}

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cmocka.h>

#include "load/target.h"
#include "load/target_mark.h"

#define MIB (1 << 20)

/* A directory of its own, and the last answer. */
struct scene {
	char dir[64], why[512];
	struct target *target;
};

static int
setup(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	strcpy(s->dir, "/tmp/stortop-file-XXXXXX");
	*state = s;
	return mkdtemp(s->dir) == NULL;
}

static int
teardown(void **state)
{
	struct scene *s = *state;
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", s->dir);
	target_close(s->target);
	free(s);
	return system(command);
}

static const char *
path(struct scene *s, const char *name)
{
	static char text[2][128];
	static int turn;

	turn = !turn;
	snprintf(text[turn], sizeof(text[turn]), "%s/%s", s->dir, name);
	return text[turn];
}

static int
open_as(struct scene *s, const char *name, struct target_request request)
{
	target_close(s->target);
	s->target = NULL;
	request.name = name;
	request.writes = true;
	if (request.block == 0)
		request.block = 4096;
	if (request.size_bytes == 0)
		request.size_bytes = MIB;
	return target_open(&request, &s->target, s->why, sizeof(s->why));
}

static int
close_it(struct scene *s)
{
	int rc = target_close(s->target);

	s->target = NULL;
	return rc;
}

static void
put(struct scene *s, const char *name, const char *text)
{
	FILE *f = fopen(path(s, name), "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* The names in the directory, sorted as they come; "" for none. */
static const char *
names(struct scene *s)
{
	static char text[512];
	const struct dirent *entry;
	DIR *dir = opendir(s->dir);

	text[0] = '\0';
	while ((entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.')
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s ", entry->d_name);
	closedir(dir);
	return text;
}

static void
refused(struct scene *s, const char *name, const char *because)
{
	int rc = open_as(s, name, (struct target_request){ .size_bytes = 0 });

	if (rc != 3 || strstr(s->why, because) == NULL)
		fail_msg("%s: %d, %s", name, rc, s->why);
	assert_null(s->target);
}

/* A place on a server, not as it is named here: said so, for nobody means a directory "server:". */
static void
no_url(void **state)
{
	static const char *const names[] = { "10.0.0.1:/export", "nfs:/10.0.0.1/export", "smb://10.0.0.1/share" };
	struct scene *s = *state;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(open_as(s, names[i], (struct target_request){ .size_bytes = 0 }), 1);
		assert_non_null(strstr(s->why, "is neither a URL (nfs://server/export/dir, "));
	}
	assert_int_equal(open_as(s, "/none/at/all", (struct target_request){ .size_bytes = 0 }), 1);
	assert_string_equal(s->why, "/none/at/all cannot be made, its directory: No such file or directory");
}

static void
in_a_directory(void **state)
{
	struct scene *s = *state;
	struct stat st;

	put(s, "stortop-12345678.test", "somebody's");
	assert_int_equal(open_as(s, s->dir, (struct target_request){ .size_bytes = 3 * MIB - 1000 }), 0);
	assert_int_equal(s->target->facts.kind, TARGET_FILE);
	assert_int_equal(s->target->area_bytes, 3 * MIB);
	assert_false(s->target->written);
	assert_true(grant_covers(s->target->grant, s->target->fd));
	assert_false(grant_covers(s->target->grant, s->target->fd + 1));
	assert_false(grant_covers(NULL, s->target->fd));
	assert_true((fcntl(s->target->fd, F_GETFL) & O_DIRECT) != 0);
	assert_true((fcntl(s->target->fd, F_GETFD) & FD_CLOEXEC) != 0);
	assert_int_equal(fstat(s->target->fd, &st), 0);
	assert_true(st.st_size >= 3 * MIB);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(close_it(s), 0);
	assert_string_equal(names(s), "stortop-12345678.test ");
}

static void
a_descriptor_of_another_file(void **state)
{
	struct scene *s = *state;
	int other, fd;

	assert_int_equal(open_as(s, s->dir, (struct target_request){ .size_bytes = MIB }), 0);
	other = open("/dev/null", O_RDWR | O_CLOEXEC);
	fd = fcntl(s->target->fd, F_DUPFD_CLOEXEC, 0);
	assert_int_equal(dup2(other, s->target->fd), s->target->fd);
	assert_false(grant_covers(s->target->grant, s->target->fd));
	assert_int_equal(dup2(fd, s->target->fd), s->target->fd);
	assert_true(grant_covers(s->target->grant, s->target->fd));
	close(other);
	close(fd);
}

static void
kept_and_taken_again(void **state)
{
	struct scene *s = *state;
	const struct target_request keep = { .keep = true, .size_bytes = MIB };

	assert_int_equal(open_as(s, path(s, "mine"), keep), 0);
	assert_true(s->target->facts.path[0] == '/' && strstr(s->target->facts.path, "/mine") != NULL);
	s->target->written = true;
	close_it(s);
	assert_string_equal(names(s), "mine ");
	/* It remembers that it was laid out, as long as it need not grow. */
	assert_int_equal(open_as(s, path(s, "mine"), keep), 0);
	assert_true(s->target->written);
	close_it(s);
	assert_int_equal(open_as(s, path(s, "mine"), (struct target_request){ .keep = true, .size_bytes = 2 * MIB }), 0);
	assert_int_equal(s->target->area_bytes, 2 * MIB);
	assert_false(s->target->written);
	close_it(s);
	/* A directory's sweep leaves kept files alone. */
	assert_int_equal(target_sweep(s->dir), 0);
	assert_int_equal(open_as(s, path(s, "mine"), (struct target_request){ .size_bytes = MIB }), 0);
	assert_int_equal(s->target->area_bytes, MIB);
	close_it(s);
	assert_string_equal(names(s), "");
}

static void
somebody_elses_file(void **state)
{
	struct scene *s = *state;
	char text[20] = "";
	FILE *f;

	put(s, "data", "precious");
	refused(s, path(s, "data"), "not made by stortop");
	assert_int_equal(symlink("data", path(s, "link")), 0);
	refused(s, path(s, "link"), "symbolic link");
	assert_int_equal(symlink("nowhere", path(s, "dangling")), 0);
	refused(s, path(s, "dangling"), "symbolic link");
	f = fopen(path(s, "data"), "r");
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	assert_string_equal(text, "precious");
	assert_int_equal(mkfifo(path(s, "pipe"), 0600), 0);
	refused(s, path(s, "pipe"), "pipe");
	refused(s, "/dev/null", "character device");
}

static void
a_kept_file_that_changed(void **state)
{
	struct scene *s = *state;
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = 5 } };

	assert_int_equal(open_as(s, path(s, "mine"), (struct target_request){ .keep = true }), 0);
	close_it(s);
	assert_int_equal(link(path(s, "mine"), path(s, "second")), 0);
	refused(s, path(s, "mine"), "hard links");
	unlink(path(s, "second"));
	assert_int_equal(utimensat(AT_FDCWD, path(s, "mine"), times, 0), 0);
	refused(s, path(s, "mine"), "somebody wrote to it since");
}

static void
two_runs_on_one_file(void **state)
{
	struct scene *s = *state;
	char status;
	int fds[2];
	pid_t pid;

	assert_int_equal(open_as(s, path(s, "mine"), (struct target_request){ .keep = false }), 0);
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		struct target_request request = { .name = path(s, "mine"), .writes = true, .block = 4096, .size_bytes = MIB };
		struct target *target;
		char why[512];

		status = (char)target_open(&request, &target, why, sizeof(why));
		status = (char)(status == 3 && strstr(why, "in use by another run") != NULL && target_sweep(s->dir) == 0);
		_exit(write(fds[1], &status, 1) != 1);
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], &status, 1), 1);
	close(fds[0]);
	waitpid(pid, NULL, 0);
	assert_int_equal(status, 1);
	assert_string_equal(names(s), "mine ");
}

/* A run that is killed: in a process of its own, which ends without a word. */
static void
killed_run(struct scene *s, const char *target)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		struct target_request request = { .name = target, .writes = true, .block = 4096, .size_bytes = MIB };
		struct target *t;
		char why[512];

		if (target_open(&request, &t, why, sizeof(why)) != 0)
			_exit(1);
		raise(SIGKILL);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status));
	assert_string_not_equal(names(s), "");
}

static void
leftovers_of_killed_runs(void **state)
{
	struct scene *s = *state;
	const char *name;

	killed_run(s, s->dir);
	killed_run(s, path(s, "named"));
	assert_int_equal(target_sweep(s->dir), 1);	/* the second run has swept after the first */
	assert_string_equal(names(s), "");
	/* Somebody found a use for it: another name. */
	killed_run(s, path(s, "named"));
	name = path(s, "database");
	assert_int_equal(rename(path(s, "named"), name), 0);
	assert_int_equal(target_sweep(s->dir), 0);
	/* Named by somebody, it is ours still. */
	assert_int_equal(open_as(s, path(s, "database"), (struct target_request){ .keep = false }), 0);
	close_it(s);
	assert_string_equal(names(s), "");
	/* A file of theirs under our name. */
	killed_run(s, path(s, "named"));
	unlink(path(s, "named"));
	put(s, "named", "theirs");
	assert_int_equal(target_sweep(s->dir), 0);
	refused(s, path(s, "named"), "not made by stortop");
	assert_string_equal(names(s), "named ");
}

static void
replaced_while_it_ran(void **state)
{
	struct scene *s = *state;

	assert_int_equal(open_as(s, path(s, "mine"), (struct target_request){ .keep = false }), 0);
	unlink(path(s, "mine"));
	put(s, "mine", "theirs");
	assert_int_equal(close_it(s), -ESTALE);
	assert_string_equal(names(s), "mine ");
}

static void
nothing_under_dev(void **state)
{
	struct scene *s = *state;

	refused(s, "/dev/stortop-no-such-disk", "does not exist");
	refused(s, "/dev/no/such/folder/disk", "does not exist");
	refused(s, "/dev", "under /dev");
	assert_int_equal(symlink("/dev", path(s, "dev")), 0);
	refused(s, path(s, "dev"), "under /dev");
	refused(s, path(s, "dev/stortop-no-such-disk"), "does not exist");
	assert_int_not_equal(access("/dev/stortop-no-such-disk", F_OK), 0);
}

static void
what_cannot_be(void **state)
{
	struct scene *s = *state;
	const struct target_request none = { .size_bytes = 0 };

	assert_int_equal(open_as(s, "", none), 2);
	assert_int_equal(open_as(s, "nfs://server/export/x?version=5", none), 2);
	assert_int_equal(open_as(s, path(s, "no/folder"), none), 1);
	assert_int_equal(open_as(s, path(s, "slash/"), none), 1);
	assert_int_equal(open_as(s, s->dir, (struct target_request){ .block = 5 }), 2);
	assert_non_null(strstr(s->why, "direct=0"));
	assert_string_equal(names(s), "");
	assert_int_equal(open_as(s, s->dir, (struct target_request){ .block = 5, .buffered = true }), 0);
	assert_int_equal(fcntl(s->target->fd, F_GETFL) & O_DIRECT, 0);
	/* A kept file whose next use is impossible is still kept. */
	assert_int_equal(open_as(s, path(s, "mine"), (struct target_request){ .keep = true }), 0);
	close_it(s);
	assert_int_equal(open_as(s, path(s, "mine"), (struct target_request){ .block = 5 }), 2);
	assert_string_equal(names(s), "mine ");
	assert_int_equal(open_as(s, path(s, "mine"), none), 0);
}

static void
too_little_room(void **state)
{
	struct scene *s = *state;

	if (open_as(s, s->dir, (struct target_request){ .size_bytes = UINT64_C(1) << 60 }) != 3)
		fail_msg("%s", s->why);
	assert_non_null(strstr(s->why, "free space"));
	assert_string_equal(names(s), "");
	if (geteuid() != 0 || mount("stortop-test", s->dir, "tmpfs", 0, "size=100m") < 0) {
		print_message("skipped: mounting needs root\n");
		skip();
	}
	/* 64 MiB stay free, which is more than 5 % of it; a quarter would be 25 MiB. */
	assert_int_equal(open_as(s, s->dir, (struct target_request){ .size_bytes = 37 * MIB, .buffered = true }), 3);
	assert_int_equal(open_as(s, s->dir, (struct target_request){ .size_bytes = 36 * MIB, .buffered = true }), 0);
	close_it(s);
	umount2(s->dir, MNT_DETACH);
}

static void
the_usual_size(void **state)
{
	struct scene *s = *state;
	struct target_request request = { .name = s->dir, .block = 512, .buffered = true };

	if (geteuid() != 0 || mount("stortop-test", s->dir, "tmpfs", 0, "size=1000m") < 0) {
		print_message("skipped: mounting needs root\n");
		skip();
	}
	assert_int_equal(target_open(&request, &s->target, s->why, sizeof(s->why)), 0);
	assert_int_equal(s->target->area_bytes, 250 * MIB);
	assert_string_equal(s->target->facts.fs, "tmpfs");
	assert_string_equal(s->target->facts.device, "");
	close_it(s);
	umount2(s->dir, MNT_DETACH);
}

static void
the_null_target(void **state)
{
	struct scene *s = *state;
	struct target_request request = { .name = "null:", .writes = true, .block = 512 };

	assert_int_equal(target_open(&request, &s->target, s->why, sizeof(s->why)), 0);
	assert_int_equal(s->target->facts.kind, TARGET_NULL);
	assert_int_equal(s->target->fd, -1);
	assert_true(s->target->area_bytes == UINT64_C(64) << 30);
	assert_true(grant_covers(s->target->grant, -1));
	assert_false(grant_covers(s->target->grant, 0));
}

static void
described(void **state)
{
	struct scene *s = *state;
	struct target_facts facts;

	assert_int_equal(target_describe("null:", &facts), 0);
	assert_int_equal(facts.kind, TARGET_NULL);
	assert_int_equal(target_describe(s->dir, &facts), 0);
	assert_int_equal(facts.kind, TARGET_FILE);
	assert_string_equal(facts.path, s->dir);
	assert_true(facts.free_bytes > 0 && facts.logical_block > 0);
	assert_int_equal(target_describe(path(s, "new"), &facts), 0);
	assert_string_equal(facts.path, path(s, "new"));
	assert_int_equal(target_describe(path(s, "no/folder"), &facts), -ENOENT);
	assert_int_equal(target_describe("/dev/null", &facts), -ENOTSUP);
	assert_string_equal(names(s), "");
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(no_url), T(in_a_directory), T(a_descriptor_of_another_file), T(kept_and_taken_again), T(somebody_elses_file),
		T(a_kept_file_that_changed), T(two_runs_on_one_file), T(leftovers_of_killed_runs), T(replaced_while_it_ran),
		T(nothing_under_dev), T(what_cannot_be), T(too_little_room), T(the_usual_size), T(the_null_target), T(described),
	};

	return cmocka_run_group_tests_name("load/target_file", tests, NULL, NULL);
}

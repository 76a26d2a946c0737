/* The load generator as an NFS client: a real server, killed, stopped and started again. */
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
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "config.h"
#include "load/engine.h"
#include "load/nfs_link.h"
#include "load/remote.h"
#include "load/target.h"
#include "tests/lab/lab.h"
#include "tests/lab/servers.h"

#define EXPORT SERVERS_DIR "/export"
#define URL "nfs://" SERVERS_ADDRESS "/export"
#define ANSWER_MS 5000
#define AREA 65536

#ifdef HAVE_LIBNFS

static const char *cannot;
static struct nfs_server server;
static char said[32768];

static void
write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static int
set_up(void **state)
{
	(void)state;
	if (cannot != NULL) {
		print_message("skipped: %s\n", cannot);
		return 0;
	}
	if (server.ganesha == 0)
		nfs_server_start(&server);
	write_file(SERVERS_DIR "/mixed.fio", "[mixed]\nrw=randrw\nbs=4k\niodepth=8\nsize=1m\nnumber_ios=400\nend_fsync=1\n"
	    "[large]\nstonewall\nrw=read\nbs=1536k\niodepth=2\nsize=3m\n");
	write_file(SERVERS_DIR "/read.fio", "[read]\nrw=randread\nbs=512\niodepth=16\nnumjobs=2\nsize=1m\nnumber_ios=300\n");
	write_file(SERVERS_DIR "/long.fio", "[long]\nrw=randread\nbs=4k\niodepth=4\nsize=1m\nruntime=60\ntime_based\n");
	return 0;
}

/* stortop run JOB TARGET, with what it said in `said`. */
static int
run(const char *job, const char *target, const char *option)
{
	return program_run(SERVERS_DIR, (const char *[]) { "run", job, target, "--no-record", option, NULL }, said, sizeof(said));
}

/* ganesha does not look for what changes behind its back: others' doings go through it too. */
static struct nfs_link *
somebody(void)
{
	struct nfs_link *link;
	char why[200] = "";

	if (nfs_link_open(&link, URL, 3, UINT64_C(5000000000), why, sizeof(why)) != 0)
		fail_msg("%s", why);
	return link;
}

static void
somebody_writes(const char *path)
{
	struct nfs_link *link = somebody();
	struct nfsfh *fh;

	assert_int_equal(nfs_link_open_file(link, path, O_RDWR, &fh), 0);
	assert_int_equal(nfs_link_write(link, fh, 0, "x", 1), 0);
	nfs_link_close_file(link, fh);
	nfs_link_close(link);
}

static void
somebody_replaces(const char *path)
{
	struct nfs_link *link = somebody();
	struct nfsfh *fh;

	assert_int_equal(nfs_link_unlink(link, path), 0);
	assert_int_equal(nfs_link_create(link, path, &fh), 0);
	nfs_link_close_file(link, fh);
	nfs_link_close(link);
}

static void
somebody_removes(const char *path)
{
	struct nfs_link *link = somebody();

	assert_int_equal(nfs_link_unlink(link, path), 0);
	nfs_link_close(link);
}

/* The exit status, with why in `said`. Without out it is closed again. */
static int
open_target(const char *name, bool writes, bool keep, struct target **out)
{
	struct target_request request = { .name = name, .writes = writes, .keep = keep, .block = 512, .size_bytes = AREA };
	struct target *target;
	int rc = target_open(&request, &target, said, sizeof(said));

	if (rc == 0 && out != NULL)
		*out = target;
	else if (rc == 0)
		assert_int_equal(target_close(target), 0);
	return rc;
}

static int
count_files(const char *dir)
{
	struct dirent **list;
	int n = scandir(dir, &list, NULL, NULL);

	for (int i = 0; i < n; i++)
		free(list[i]);
	free(list);
	return n - 2;
}

static void
test_v3(void **state)
{
	(void)state;
	if (cannot != NULL)
		skip();
	assert_int_equal(run(SERVERS_DIR "/mixed.fio", URL, "--json"), 0);
	assert_non_null(strstr(said, "\"engine\":\"nfs\""));
	assert_non_null(strstr(said, "\"name\":\"" URL "\",\"kind\":\"nfs\""));
	assert_non_null(strstr(said, "\"errors\":0"));
	/* 400 I/Os of 4 KiB, and 3 MiB in two. */
	assert_non_null(strstr(said, "\"state\":\"done\""));
	assert_int_equal(count_files(EXPORT), 0);
}

static void
test_v4(void **state)
{
	(void)state;
	if (cannot != NULL)
		skip();
	/* libnfs 4.0 forgets to free the name of an NFSv4 client. */
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
	assert_int_equal(run(SERVERS_DIR "/read.fio", URL "?version=4", "--json"), 0);
	unsetenv("ASAN_OPTIONS");
	assert_non_null(strstr(said, "\"state\":\"done\""));
	assert_non_null(strstr(said, "\"errors\":0"));
	assert_int_equal(count_files(EXPORT), 0);
#if HAVE_LIBNFS < 50000
	/* Debian 12's library cannot write, later ones can. */
	assert_int_equal(open_target(URL "?version=4", true, false, NULL), 2);
	assert_non_null(strstr(said, "cannot write 4 KiB or more over NFSv4"));
	assert_int_equal(count_files(EXPORT), 0);
#endif
}

/* What is there and not ours stays as it is. */
/* What a user gets wrong first, in words that say what to look at. */
static void
test_wrong_urls(void **state)
{
	static const struct {
		const char *url;
		int status;
		const char *words;
	} cases[] = {
		{ "nfs://" SERVERS_ADDRESS, 2, "an NFS URL is nfs://server/export" },
		{ "nfs://" SERVERS_ADDRESS "/nothere", 1, ": no such export there, or not for this host" },
		{ URL "?nfsport=9", 1, "no connection: it was refused or broken off, or there is no way to that host" },
		{ URL "?uid=65534&gid=65534", 1, ": the server does not let this user; ?uid=N&gid=N says who asks" },
	};

	(void)state;
	if (cannot != NULL)
		skip();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (open_target(cases[i].url, true, false, NULL) != cases[i].status || strstr(said, cases[i].words) == NULL)
			fail_msg("%s: %s", cases[i].url, said);
}

static void
test_foreign(void **state)
{
	static const char text[] = "somebody's";
	char found[sizeof(text)] = "";
	int fd;

	(void)state;
	if (cannot != NULL)
		skip();
	write_file(EXPORT "/foreign", text);
	assert_int_equal(symlink("foreign", EXPORT "/link"), 0);
	assert_int_equal(open_target(URL "/foreign", true, false, NULL), 3);
	assert_non_null(strstr(said, "it exists and was not made by stortop"));
	assert_int_equal(open_target(URL "/link", false, false, NULL), 3);
	assert_non_null(strstr(said, "symbolic link"));
	fd = open(EXPORT "/foreign", O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(fd, found, sizeof(found)), sizeof(text) - 1);
	assert_string_equal(found, text);
	close(fd);
	assert_int_equal(count_files(EXPORT), 2);
	unlink(EXPORT "/link");
	unlink(EXPORT "/foreign");
}

/* A kept file is taken again, a copy of it is not, nor one that somebody wrote to. */
static void
test_kept(void **state)
{
	struct target *again;
	char name[512];

	(void)state;
	if (cannot != NULL)
		skip();
	/* By a name of its own in a directory, which it is found by. */
	assert_int_equal(open_target(URL, true, true, &again), 0);
	snprintf(name, sizeof(name), "%s", again->facts.path);
	assert_memory_equal(name, URL "/stortop-", strlen(URL "/stortop-"));
	assert_int_equal(target_close(again), 0);
	assert_int_equal(open_target(name, false, false, NULL), 0);
	assert_int_equal(count_files(EXPORT), 0);
	assert_int_equal(open_target(URL "/mine", true, true, NULL), 0);
	assert_int_equal(open_target(URL "/mine", false, true, &again), 0);
	assert_int_equal(again->area_bytes, AREA);
	assert_int_equal(target_close(again), 0);
	assert_int_equal(system("cp -p " EXPORT "/mine " EXPORT "/copy"), 0);
	assert_int_equal(open_target(URL "/copy", true, false, NULL), 3);
	assert_non_null(strstr(said, "not made by stortop"));
	somebody_writes("/mine");
	assert_int_equal(open_target(URL "/mine", true, false, NULL), 3);
	assert_non_null(strstr(said, "somebody wrote to it since"));
	assert_int_equal(count_files(EXPORT), 2);
	somebody_removes("/mine");
	somebody_removes("/copy");
}

/* An engine without a grant builds no write. */
static void
test_no_grant(void **state)
{
	struct engine_args args = { .fd = -1, .depth = 1, .slot_bytes = 4096 };
	uint8_t block[4096] = "";
	struct io io = { .dir = IO_WRITE, .bytes = sizeof(block), .buf = block }, *list = &io, *done = NULL;
	const struct engine_ops *ops;
	struct target *target;
	struct engine *engine;
	char why[200] = "";

	(void)state;
	if (cannot != NULL)
		skip();
	assert_int_equal(open_target(URL, false, false, &target), 0);
	ops = engine_choose(ENGINE_URING, target, why, sizeof(why));
	assert_string_equal(ops->name, "nfs");
	args.remote = target->remote;
	args.buffers = block;
	assert_int_equal(ops->open(&engine, &args), 0);
	assert_int_equal(ops->submit(engine, &list, 1), -EPERM);
	io.dir = IO_SYNC;
	assert_int_equal(ops->submit(engine, &list, 1), -EPERM);
	io.dir = IO_READ;
	assert_int_equal(ops->submit(engine, &list, 1), 1);
	assert_int_equal(ops->reap(engine, &done, 1, 1, UINT64_MAX), 1);
	assert_int_equal(done->result, sizeof(block));
	ops->close(engine);
	target_close(target);
	assert_int_equal(count_files(EXPORT), 0);
}

/* A file that is removed under a run: the server's own word for it, and no address of ours. */
static void
test_removed(void **state)
{
	struct engine_args args = { .fd = -1, .depth = 1, .slot_bytes = 4096 };
	uint8_t block[4096] = "";
	struct io io = { .dir = IO_READ, .bytes = sizeof(block), .buf = block }, *list = &io, *done = NULL;
	const struct engine_ops *ops;
	struct target *target;
	struct engine *engine;
	struct nfs_link *link;
	struct nfsfh *fh;
	char why[200] = "";

	(void)state;
	if (cannot != NULL)
		skip();
	assert_int_equal(open_target(URL "/mine", false, false, &target), 0);
	ops = engine_choose(ENGINE_AUTO, target, why, sizeof(why));
	args.remote = target->remote;
	args.buffers = block;
	assert_int_equal(ops->open(&engine, &args), 0);
	link = somebody();
	assert_int_equal(nfs_link_open_file(link, "/mine", O_RDWR, &fh), 0);
	somebody_removes("/mine");
	assert_int_equal(ops->submit(engine, &list, 1), 1);
	assert_int_equal(ops->reap(engine, &done, 1, 1, UINT64_MAX), 1);
	assert_int_equal(done->result, -EIO);
	assert_non_null(strstr(engine->words, "NFS3ERR_STALE"));
	assert_true(nfs_link_read(link, fh, 0, block, sizeof(block)) < 0);
	assert_non_null(strstr(nfs_link_words(link, -EIO), "NFS3ERR_STALE"));
	nfs_link_close_file(link, fh);
	nfs_link_close(link);
	ops->close(engine);
	assert_int_equal(target_close(target), -ENOENT);
}

/* Another file than the one that was proved is neither opened nor removed. */
static void
test_another_file(void **state)
{
	struct engine_args args = { .fd = -1, .depth = 1, .slot_bytes = 4096 };
	struct target *target;
	struct engine *engine;
	char why[200] = "";

	(void)state;
	if (cannot != NULL)
		skip();
	assert_int_equal(open_target(URL "/mine", true, false, &target), 0);
	args.remote = target->remote;
	args.grant = target->grant;
	args.why = why;
	args.why_size = sizeof(why);
	somebody_replaces("/mine");
	assert_int_equal(engine_choose(ENGINE_AUTO, target, why, sizeof(why))->open(&engine, &args), -ESTALE);
	assert_int_equal(target_close(target), -ESTALE);
	assert_int_equal(count_files(EXPORT), 1);
	somebody_removes("/mine");
}

static void
start_long(struct program *p)
{
	program_start_heard(p, SERVERS_DIR, (const char *[]) { "run", SERVERS_DIR "/long.fio", URL, "--no-record", NULL });
	assert_true(program_says(p, "measure", ANSWER_MS));
}

/* A silent server is a stall, and does not keep the run from ending; one that goes on is gone on with. */
static void
test_stopped(void **state)
{
	struct program p;
	int status;

	(void)state;
	if (cannot != NULL)
		skip();
	start_long(&p);
	/* Another run sweeps what is left over, and this file is not. */
	assert_int_equal(open_target(URL, false, false, NULL), 0);
	assert_int_equal(count_files(EXPORT), 1);
	kill(server.ganesha, SIGSTOP);
	/* Its last answers are taken, and their places filled again. */
	usleep(300000);
	status = program_end(&p, SIGINT, 2500);
	kill(server.ganesha, SIGCONT);
	assert_true(program_says(&p, "does not answer: 4 I/Os are still in flight", 0));
	assert_true(program_says(&p, "stortop: " URL "/stortop-", 0));
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	program_free(&p);
	/* It could not remove its file: the next run does. */
	assert_int_equal(count_files(EXPORT), 1);
	assert_int_equal(open_target(URL, false, false, NULL), 0);
	assert_int_equal(count_files(EXPORT), 0);
}

static void
test_killed(void **state)
{
	struct program p;
	int status;

	(void)state;
	if (cannot != NULL)
		skip();
	start_long(&p);
	nfs_server_kill(&server);
	assert_true(program_says(&p, "the connection to the server is lost", ANSWER_MS));
	/* Nothing is waited for on it any more: a server that is silent would not have been asked about the file again. */
	assert_true(program_says(&p, "the test file is still there, it cannot be removed: Connection refused", ANSWER_MS));
	status = program_end(&p, 0, ANSWER_MS);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	program_free(&p);
	assert_int_equal(open_target(URL, false, false, NULL), 1);
	assert_int_equal(count_files(EXPORT), 1);
	nfs_server_start(&server);
	assert_int_equal(open_target(URL, false, false, NULL), 0);
	assert_int_equal(count_files(EXPORT), 0);
}

#else

static void
test_nothing(void **state)
{
	(void)state;
	print_message("skipped: built without libnfs\n");
	skip();
}

#endif

int
main(void)
{
#ifdef HAVE_LIBNFS
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_v3, set_up), cmocka_unit_test_setup(test_v4, set_up),
		cmocka_unit_test_setup(test_wrong_urls, set_up), cmocka_unit_test_setup(test_kept, set_up),
		cmocka_unit_test_setup(test_foreign, set_up), cmocka_unit_test_setup(test_kept, set_up),
		cmocka_unit_test_setup(test_no_grant, set_up), cmocka_unit_test_setup(test_removed, set_up),
		cmocka_unit_test_setup(test_another_file, set_up),
		cmocka_unit_test_setup(test_stopped, set_up), cmocka_unit_test_setup(test_killed, set_up),
	};

	cannot = servers_enter(true, false);
#else
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_nothing) };

#endif
	return cmocka_run_group_tests_name("nfs", tests, NULL, NULL);
}

/* The load generator as an iSCSI initiator: a real target, killed, stopped and started again. */
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
#include <unistd.h>

#include <cmocka.h>

#include "config.h"
#include "load/engine.h"
#include "load/iscsi_link.h"
#include "load/target.h"
#include "tests/lab/lab.h"
#include "tests/lab/relay.h"
#include "tests/lab/servers.h"

#ifdef HAVE_LIBISCSI

#include <iscsi/iscsi.h>
#include <iscsi/scsi-lowlevel.h>

#define IMAGE SERVERS_DIR "/lun.img"
#define IMAGE_BYTES (8 << 20)
#define LUN ISCSI_URL "/1"
#define ANSWER_MS 5000

static const char *cannot;
static struct iscsi_server server;
static char said[32768];

static void
write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void
clear_image(void)
{
	int fd = open(IMAGE, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_int_equal(ftruncate(fd, IMAGE_BYTES), 0);
	close(fd);
}

static void
start_server(void)
{
	iscsi_server_start(&server);
	iscsi_server_add(1, IMAGE, "rdwr");
	iscsi_server_add(2, "/dev/null", "null");
}

static int
set_up(void **state)
{
	(void)state;
	if (cannot != NULL) {
		print_message("skipped: %s\n", cannot);
		return 0;
	}
	clear_image();
	if (server.tgtd == 0)
		start_server();
	write_file(SERVERS_DIR "/mixed.fio", "[mixed]\nrw=randrw\nbs=4k\niodepth=8\nnumjobs=2\nsize=1m\nnumber_ios=400\nend_fsync=1\n"
	    "[sync]\nstonewall\nrw=write\nbs=256k\nsync=1\nsize=1m\n[large]\nstonewall\nrw=read\nbs=1536k\niodepth=2\nsize=3m\n");
	write_file(SERVERS_DIR "/read.fio", "[read]\nrw=randread\nbs=512\niodepth=16\nsize=1m\nnumber_ios=300\n");
	write_file(SERVERS_DIR "/long.fio", "[long]\nrw=randread\nbs=4k\niodepth=4\nsize=1m\nruntime=60\ntime_based\n");
	return 0;
}

/* The exit status, with why in `said`. Without out it is closed again. */
static int
open_target(const char *name, bool writes, const char *destroy, struct target **out)
{
	struct target_request request = { .name = name, .writes = writes, .destroy = destroy, .block = 4096 };
	struct target *target;
	int rc = target_open(&request, &target, said, sizeof(said));

	if (rc == 0 && out != NULL)
		*out = target;
	else if (rc == 0)
		assert_int_equal(target_close(target), 0);
	return rc;
}

static void
test_load(void **state)
{
	(void)state;
	if (cannot != NULL)
		skip();
	assert_int_equal(program_run(SERVERS_DIR, (const char *[]) { "run", SERVERS_DIR "/mixed.fio", LUN, "--no-record", "--destroy",
	    "8388608", "--json", NULL }, said, sizeof(said)), 0);
	assert_non_null(strstr(said, "\"engine\":\"iscsi\""));
	assert_non_null(strstr(said, "\"name\":\"" LUN "\",\"kind\":\"iscsi\",\"size_bytes\":8388608"));
	assert_non_null(strstr(said, "\"model\":\"IET VIRTUAL-DISK\""));
	assert_non_null(strstr(said, "\"state\":\"done\""));
	assert_non_null(strstr(said, "\"errors\":0"));
	assert_null(strstr(said, "not steady"));
}

/* A LUN is a device: it is named before it is written, and what is on it is said. */
static void
test_naming(void **state)
{
	static const char *const wrong[] = { ISCSI_URL "/65537", ISCSI_URL "/4294967297", ISCSI_URL "/-1", ISCSI_URL "/+1",
		ISCSI_URL "/16384" };
	struct target *target;

	(void)state;
	if (cannot != NULL)
		skip();
	assert_int_equal(open_target(LUN, true, NULL, NULL), 3);
	assert_non_null(strstr(said, "needs --destroy beaf11 (its serial; or its exact size, 8388608 bytes)"));
	assert_int_equal(open_target(LUN, true, "8388607", NULL), 3);
	assert_int_equal(open_target(LUN, true, "beaf12", NULL), 3);
	assert_int_equal(open_target(LUN, true, "beaf11", &target), 0);
	assert_true(grant_covers_remote(target->grant, target->remote));
	assert_false(target->written);
	target_close(target);
	assert_int_equal(open_target(LUN, false, NULL, &target), 0);
	assert_null(target->grant);
	assert_int_equal(target->area_bytes, IMAGE_BYTES);
	assert_int_equal(target->facts.logical_block, 512);
	assert_string_equal(target->facts.holds, "");
	target_close(target);
	/* LUN 0 is the controller, 9 is none. */
	assert_int_equal(open_target(ISCSI_URL "/0", false, NULL, NULL), 1);
	assert_int_equal(open_target(ISCSI_URL "/9", false, NULL, NULL), 1);
	/* Cut to 16 or 32 bits these would be LUN 1; a sign or another word is none. */
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(open_target(wrong[i], true, "beaf11", NULL), 2);
		assert_non_null(strstr(said, "a LUN is a number from 0 to 16383"));
	}
	assert_int_equal(open_target("iscsi://user%geheim@" SERVERS_ADDRESS "/no-lun", false, NULL, NULL), 2);
	assert_null(strstr(said, "geheim"));
}

/* A swap area in its first page; and at the end of a LUN what libblkid looks for there, a GPT's copy. */
static void
test_signature(void **state)
{
	struct target *target;
	int fd;

	(void)state;
	if (cannot != NULL)
		skip();
	fd = open(IMAGE, O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, "\1\0\0\0\377\7\0\0", 8, 1024), 8);
	assert_int_equal(pwrite(fd, "SWAPSPACE2", 10, 4086), 10);
	assert_int_equal(open_target(LUN, true, NULL, NULL), 3);
	assert_non_null(strstr(said, "it carries the signature of swap"));
	assert_int_equal(open_target(LUN, false, NULL, &target), 0);
	assert_non_null(strstr(target->facts.holds, "swap"));
	assert_true(target->written);
	target_close(target);
	assert_int_equal(ftruncate(fd, 0) + ftruncate(fd, IMAGE_BYTES), 0);
	assert_int_equal(pwrite(fd, "x", 1, IMAGE_BYTES - 1), 1);
	close(fd);
	assert_int_equal(open_target(LUN, false, NULL, &target), 0);
	assert_string_equal(target->facts.holds, "data of no known kind");
	target_close(target);
}

/* As another host would do it: an exclusive reservation for writing. */
static void
reserve(struct iscsi_link *link, int action, uint64_t key, uint64_t action_key)
{
	struct scsi_persistent_reserve_out_basic basic = { .reservation_key = key, .service_action_reservation_key = action_key };
	struct scsi_task *task = iscsi_persistent_reserve_out_sync(iscsi_link_context(link), 1, action,
	    SCSI_PERSISTENT_RESERVE_SCOPE_LU, SCSI_PERSISTENT_RESERVE_TYPE_WRITE_EXCLUSIVE, &basic);

	assert_non_null(task);
	assert_int_equal(task->status, SCSI_STATUS_GOOD);
	scsi_free_scsi_task(task);
}

static void
test_reservation(void **state)
{
	struct target_request shared = { .name = LUN, .in_use = true, .block = 4096 };
	struct iscsi_link *other;
	struct target *target;
	char why[200];

	(void)state;
	if (cannot != NULL)
		skip();
	assert_int_equal(iscsi_link_open(&other, LUN, UINT64_C(5000000000), why, sizeof(why)), 0);
	reserve(other, SCSI_PERSISTENT_RESERVE_REGISTER, 0, 4711);
	assert_int_equal(open_target(LUN, true, "beaf11", NULL), 3);
	assert_non_null(strstr(said, "it is shared with other hosts: 1 persistent reservation key is registered"));
	assert_int_equal(open_target(LUN, false, NULL, NULL), 3);
	assert_non_null(strstr(said, "--in-use allows that"));
	assert_int_equal(target_open(&shared, &target, why, sizeof(why)), 0);
	target_close(target);
	reserve(other, SCSI_PERSISTENT_RESERVE_RESERVE, 4711, 0);
	assert_int_equal(open_target(LUN, true, "beaf11", NULL), 3);
	assert_non_null(strstr(said, "it is reserved by another host"));
	reserve(other, SCSI_PERSISTENT_RESERVE_RELEASE, 4711, 0);
	reserve(other, SCSI_PERSISTENT_RESERVE_REGISTER, 4711, 0);
	iscsi_link_close(other);
	assert_int_equal(open_target(LUN, true, "beaf11", NULL), 0);
}

/* Who does not hear whether a LUN is reserved does not write it; that it knows no reservations is an answer. */
static void
test_reservation_not_known(void **state)
{
	static const struct {
		enum relay_answer answer;
		int status;
		const char *why;
	} cases[] = {
		{ RELAY_BUSY, 3, "it cannot be proved unused: its reservations cannot be read (busy)" },
		{ RELAY_HANGS_UP, 1, "" },
	};

	(void)state;
	if (cannot != NULL)
		skip();
	for (size_t i = 0; i < 2; i++) {
		pid_t relay = relay_start(0x5e, cases[i].answer);

		assert_int_equal(open_target(RELAY_URL "/1", true, "beaf11", NULL), cases[i].status);
		assert_non_null(strstr(said, cases[i].why));
		relay_end(relay);
	}
}

/* A disk of this machine with this WWN, of which a volume is made: as if its kernel had a session of its own. */
static void
make_path_here(const char *wwn)
{
	assert_int_equal(mount("sys", "/sys/class/block", "tmpfs", 0, NULL), 0);
	assert_int_equal(mount("sys", "/sys/block", "tmpfs", 0, NULL), 0);
	assert_int_equal(mkdir("/sys/block/sdz", 0700) + mkdir("/sys/class/block/sdz", 0700), 0);
	assert_int_equal(mkdir("/sys/class/block/sdz/holders", 0700) + mkdir("/sys/class/block/sdz/holders/dm-9", 0700), 0);
	write_file("/sys/class/block/sdz/wwid", wwn);
}

static void
test_used_here(void **state)
{
	struct target_request shared = { .name = LUN, .in_use = true, .block = 4096 };
	struct target *target;

	(void)state;
	if (cannot != NULL)
		skip();
	assert_int_equal(open_target(LUN, false, NULL, &target), 0);
	make_path_here(target->facts.wwn);
	target_close(target);
	assert_int_equal(open_target(LUN, true, "beaf11", NULL), 3);
	assert_non_null(strstr(said, "refused: dm-9 is made of it"));
	assert_int_equal(open_target(LUN, false, NULL, NULL), 3);
	assert_int_equal(target_open(&shared, &target, said, sizeof(said)), 0);
	target_close(target);
	umount("/sys/block");
	umount("/sys/class/block");
	assert_int_equal(open_target(LUN, true, "beaf11", NULL), 0);
}

/* An engine without a grant builds no write, and one for another LUN does not open. */
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
	assert_int_equal(open_target(LUN, false, NULL, &target), 0);
	ops = engine_choose(ENGINE_AIO, target, why, sizeof(why));
	assert_string_equal(ops->name, "iscsi");
	args.remote = target->remote;
	args.buffers = block;
	args.why = why;
	args.why_size = sizeof(why);
	assert_int_equal(ops->open(&engine, &args), 0);
	assert_int_equal(ops->submit(engine, &list, 1), -EPERM);
	io.dir = IO_SYNC;
	assert_int_equal(ops->submit(engine, &list, 1), -EPERM);
	io.dir = IO_READ;
	/* Beyond the end: the target's own words. */
	io.offset = IMAGE_BYTES;
	assert_int_equal(ops->submit(engine, &list, 1), 1);
	assert_int_equal(ops->reap(engine, &done, 1, 1, UINT64_MAX), 1);
	assert_int_equal(done->result, -EREMOTEIO);
	assert_non_null(strstr(engine->words, "ILLEGAL_REQUEST"));
	ops->close(engine);
	assert_int_equal(truncate(IMAGE, IMAGE_BYTES / 2), 0);
	iscsi_server_kill(&server);
	start_server();
	assert_int_equal(ops->open(&engine, &args), -ESTALE);
	assert_string_equal(why, "the LUN is not what it was a moment ago");
	target_close(target);
}

static void
start_long(struct program *p)
{
	program_start_heard(p, SERVERS_DIR, (const char *[]) { "run", SERVERS_DIR "/long.fio", LUN, "--no-record", NULL });
	assert_true(program_says(p, "measure", ANSWER_MS));
}

static void
test_stopped(void **state)
{
	struct program p;
	int status;

	(void)state;
	if (cannot != NULL)
		skip();
	start_long(&p);
	kill(server.tgtd, SIGSTOP);
	/* Its last answers are taken, and their places filled again. */
	usleep(300000);
	status = program_end(&p, SIGINT, 2500);
	kill(server.tgtd, SIGCONT);
	assert_true(program_says(&p, "does not answer: 4 I/Os are still in flight", 0));
	assert_true(WIFEXITED(status));
	program_free(&p);
	assert_int_equal(open_target(LUN, false, NULL, NULL), 0);
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
	iscsi_server_kill(&server);
	assert_true(program_says(&p, "the connection to the target is lost: ", ANSWER_MS));
	status = program_end(&p, 0, ANSWER_MS);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	/* The library's last error is of the login: the attention that the target raises with each one. */
	assert_false(program_says(&p, "UNIT_ATTENTION", 0));
	program_free(&p);
	assert_int_equal(open_target(LUN, false, NULL, NULL), 1);
	start_server();
	assert_int_equal(open_target(LUN, false, NULL, NULL), 0);
}

/* The last one: from then on every login needs them. Nothing that is printed or stored has them in it. */
static void
test_chap(void **state)
{
	static const char *const urls[] = { "iscsi://anna%geheim-0815-xyz@" SERVERS_ADDRESS "/" ISCSI_TARGET "/1", LUN };

	(void)state;
	if (cannot != NULL)
		skip();
	iscsi_server_account("anna", "geheim-0815-xyz");
	assert_int_equal(open_target(LUN, false, NULL, NULL), 1);
	assert_non_null(strstr(said, "Authentication failure"));
	assert_int_equal(open_target("iscsi://anna%geheim-wrong@" SERVERS_ADDRESS "/" ISCSI_TARGET "/1", false, NULL, NULL), 1);
	assert_null(strstr(said, "geheim"));
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(program_run(SERVERS_DIR, (const char *[]) { "run", SERVERS_DIR "/read.fio", urls[i], "--db",
		    SERVERS_DIR "/chap.db", i == 0 ? "--json" : NULL, NULL }, said, sizeof(said)), 0);
		assert_null(strstr(said, "geheim"));
		assert_null(strstr(said, "anna"));
		assert_non_null(strstr(said, LUN));
		assert_int_equal(program_run(SERVERS_DIR, (const char *[]) { "run", "precondition", urls[i], "--no-record", "--destroy",
		    "beaf11", NULL }, said, sizeof(said)), 0);
		assert_null(strstr(said, "geheim"));
		assert_non_null(strstr(said, "filled: now `stortop run WORKLOAD " LUN " --destroy beaf11`"));
		setenv("LIBISCSI_CHAP_USERNAME", "anna", 1);
		setenv("LIBISCSI_CHAP_PASSWORD", "geheim-0815-xyz", 1);
	}
	assert_int_equal(system("grep -q geheim " SERVERS_DIR "/chap.db*") >> 8, 1);
	unsetenv("LIBISCSI_CHAP_USERNAME");
	unsetenv("LIBISCSI_CHAP_PASSWORD");
}

#else

static void
test_nothing(void **state)
{
	(void)state;
	print_message("skipped: built without libiscsi\n");
	skip();
}

#endif

int
main(void)
{
#ifdef HAVE_LIBISCSI
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_load, set_up), cmocka_unit_test_setup(test_naming, set_up),
		cmocka_unit_test_setup(test_signature, set_up), cmocka_unit_test_setup(test_reservation, set_up),
		cmocka_unit_test_setup(test_reservation_not_known, set_up), cmocka_unit_test_setup(test_used_here, set_up),
		cmocka_unit_test_setup(test_no_grant, set_up), cmocka_unit_test_setup(test_stopped, set_up),
		cmocka_unit_test_setup(test_killed, set_up), cmocka_unit_test_setup(test_chap, set_up),
	};

	cannot = servers_enter(false, true);
#else
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_nothing) };

#endif
	return cmocka_run_group_tests_name("iscsi", tests, NULL, NULL);
}

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/clock.h"
#include "load/engine.h"

#define BLOCK 4096
#define BLOCKS 32
#define DEPTH 4

struct place {
	char dir[64];
	struct target *target;
};

/* A test file of our own: only target_open() makes the grant. */
static int
setup(void **state)
{
	struct place *place = calloc(1, sizeof(*place));
	struct target_request request = { .name = place->dir, .writes = true, .buffered = true, .size_bytes = BLOCKS * BLOCK,
		.block = BLOCK };
	char why[256];

	snprintf(place->dir, sizeof(place->dir), "/tmp/test_engine.XXXXXX");
	*state = place;
	if (mkdtemp(place->dir) == NULL)
		return -1;
	if (target_open(&request, &place->target, why, sizeof(why)) != 0) {
		print_message("%s\n", why);
		return -1;
	}
	return 0;
}

static int
teardown(void **state)
{
	struct place *place = *state;
	int rc = target_close(place->target);

	rc |= rmdir(place->dir);
	free(place);
	return rc;
}

struct bench {
	const struct engine_ops *ops;
	struct engine *engine;
	uint8_t *buffers;
	struct io ios[DEPTH];
};

static void
open_engine(struct bench *b, const struct engine_ops *ops, const struct target *target, const struct write_grant *grant, unsigned depth)
{
	struct engine_args args = { .fd = target->fd, .grant = grant, .depth = depth, .slot_bytes = BLOCK };

	memset(b, 0, sizeof(*b));
	b->ops = ops;
	b->buffers = args.buffers = aligned_alloc(BLOCK, DEPTH * BLOCK);
	for (unsigned i = 0; i < DEPTH; i++) {
		b->ios[i].slot = (uint16_t)i;
		b->ios[i].buf = b->buffers + i * BLOCK;
	}
	assert_int_equal(ops->open(&b->engine, &args), 0);
}

static void
close_engine(struct bench *b)
{
	b->ops->close(b->engine);
	free(b->buffers);
}

static void
put(struct bench *b, unsigned slot, enum io_dir dir, unsigned block)
{
	struct io *io = &b->ios[slot];

	io->dir = (uint8_t)dir;
	io->bytes = dir == IO_SYNC ? 0 : BLOCK;
	io->offset = (uint64_t)block * BLOCK;
	io->result = -1;
	assert_int_equal(b->ops->submit(b->engine, &io, 1), 1);
}

/* All n, each of which may come in a reap of its own. */
static void
take_all(struct bench *b, unsigned n)
{
	struct io *done[DEPTH];

	while (n > 0) {
		int rc = b->ops->reap(b->engine, done, 1, DEPTH, UINT64_MAX);

		assert_in_range(rc, 1, n);
		for (int i = 0; i < rc; i++)
			assert_int_equal(done[i]->result, done[i]->bytes);
		n -= (unsigned)rc;
	}
}

static void
write_and_read(const struct engine_ops *ops, const struct target *target, unsigned depth)
{
	struct bench b;

	open_engine(&b, ops, target, target->grant, depth);
	for (unsigned i = 0; i < BLOCKS; i += depth) {
		for (unsigned k = 0; k < depth; k++) {
			memset(b.ios[k].buf, (int)(1 + i + k), BLOCK);
			put(&b, k, IO_WRITE, i + k);
		}
		take_all(&b, depth);
	}
	put(&b, 0, IO_SYNC, 0);
	take_all(&b, 1);
	b.ios[0].data_only = true;
	put(&b, 0, IO_SYNC, 0);
	take_all(&b, 1);
	for (unsigned i = 0; i < BLOCKS; i += depth) {
		for (unsigned k = 0; k < depth; k++)
			put(&b, k, IO_READ, BLOCKS - 1 - i - k);
		take_all(&b, depth);
		for (unsigned k = 0; k < depth; k++) {
			assert_int_equal(b.ios[k].buf[0], BLOCKS - i - k);
			assert_int_equal(b.ios[k].buf[BLOCK - 1], BLOCKS - i - k);
		}
	}
	close_engine(&b);
}

static bool
usable(const struct engine_ops *ops)
{
	char why[160];

	if (ops->usable == NULL || ops->usable(why, sizeof(why)))
		return true;
	print_message("skipped: %s: %s\n", ops->name, why);
	return false;
}

#define NEED(ops) do { if (!usable(ops)) skip(); } while (0)

static void
uring(void **state)
{
	NEED(&engine_uring);
	write_and_read(&engine_uring, ((struct place *)*state)->target, DEPTH);
	write_and_read(&engine_uring, ((struct place *)*state)->target, 1);
}

static void
aio(void **state)
{
	NEED(&engine_aio);
	write_and_read(&engine_aio, ((struct place *)*state)->target, DEPTH);
}

static void
psync(void **state)
{
	write_and_read(&engine_psync, ((struct place *)*state)->target, 1);
	write_and_read(&engine_psync, ((struct place *)*state)->target, DEPTH);
}

static void
null(void **state)
{
	struct bench b;
	struct io *done[DEPTH];

	open_engine(&b, &engine_null, ((struct place *)*state)->target, NULL, DEPTH);
	for (unsigned k = 0; k < 3; k++)
		put(&b, k, k == 1 ? IO_WRITE : IO_READ, k);
	assert_int_equal(b.ops->reap(b.engine, done, 1, 2, UINT64_MAX), 2);
	assert_ptr_equal(done[0], &b.ios[0]);
	assert_ptr_equal(done[1], &b.ios[1]);
	put(&b, 0, IO_READ, 7);
	take_all(&b, 2);
	close_engine(&b);
}

/* Neither a write nor a sync goes through without the grant, nor what stands before them; nothing is in the file after. */
static void
no_write_without_the_grant(void **state)
{
	static const struct engine_ops *const engines[] = { &engine_uring, &engine_aio, &engine_psync };
	const struct target *target = ((struct place *)*state)->target;

	for (size_t e = 0; e < 3; e++) {
		struct bench b;
		struct io *ios[2];
		uint8_t byte = 1;

		if (!usable(engines[e]))
			continue;
		open_engine(&b, engines[e], target, NULL, DEPTH);
		memset(b.buffers, 0xaa, DEPTH * BLOCK);
		for (unsigned i = 0; i < 2; i++)
			ios[i] = &b.ios[i];
		*ios[0] = (struct io) { .dir = IO_READ, .bytes = BLOCK, .buf = b.buffers };
		*ios[1] = (struct io) { .dir = IO_WRITE, .bytes = BLOCK, .buf = b.buffers + BLOCK, .slot = 1 };
		assert_int_equal(b.ops->submit(b.engine, ios, 2), -EPERM);
		ios[1]->dir = IO_SYNC;
		ios[1]->bytes = 0;
		assert_int_equal(b.ops->submit(b.engine, ios, 2), -EPERM);
		assert_int_equal(b.ops->reap(b.engine, ios, 0, DEPTH, 0), 0);
		assert_int_equal(pread(target->fd, &byte, 1, 0), 1);
		assert_int_equal(byte, 0);
		close_engine(&b);
	}
}

/* A grant is for one descriptor. */
static void
no_write_with_the_grant_of_another(void **state)
{
	struct target other = *((struct place *)*state)->target;
	struct bench b;
	struct io *io = &b.ios[0];

	other.fd = open("/dev/null", O_RDWR);
	open_engine(&b, &engine_psync, &other, other.grant, 1);
	io->dir = IO_WRITE;
	io->bytes = BLOCK;
	assert_int_equal(b.ops->submit(b.engine, &io, 1), -EPERM);
	close_engine(&b);
	close(other.fd);
}

/* Behind the end nothing is read, and a bad descriptor is an error of the I/O, not of the engine. */
static void
errors_come_with_their_io(void **state)
{
	static const struct engine_ops *const engines[] = { &engine_uring, &engine_aio, &engine_psync };
	struct target *target = ((struct place *)*state)->target;

	for (size_t e = 0; e < 3; e++) {
		struct io *io, *done[DEPTH];
		struct target bad = *target;
		struct bench b;

		if (!usable(engines[e]))
			continue;
		open_engine(&b, engines[e], target, NULL, DEPTH);
		put(&b, 2, IO_READ, 10 * BLOCKS);
		assert_int_equal(b.ops->reap(b.engine, done, 1, DEPTH, UINT64_MAX), 1);
		assert_ptr_equal(done[0], &b.ios[2]);
		assert_int_equal(done[0]->result, 0);
		close_engine(&b);

		bad.fd = open("/tmp", O_RDONLY | O_DIRECTORY);
		open_engine(&b, engines[e], &bad, NULL, DEPTH);
		io = &b.ios[1];
		*io = (struct io) { .dir = IO_READ, .bytes = BLOCK, .slot = 1, .buf = b.buffers };
		assert_int_equal(b.ops->submit(b.engine, &io, 1), 1);
		assert_int_equal(b.ops->reap(b.engine, done, 1, DEPTH, UINT64_MAX), 1);
		assert_ptr_equal(done[0], io);
		assert_in_range(-io->result, 1, 4095);
		close_engine(&b);
		close(bad.fd);
	}
}

/* With nothing in flight a reap ends at its deadline, not before. */
static void
deadlines(void **state)
{
	static const struct engine_ops *const engines[] = { &engine_uring, &engine_aio, &engine_psync };

	for (size_t e = 0; e < 3; e++) {
		uint64_t until = clock_ns() + 20 * NS_PER_MS;
		struct io *done[DEPTH];
		struct bench b;

		if (!usable(engines[e]))
			continue;
		open_engine(&b, engines[e], ((struct place *)*state)->target, NULL, DEPTH);
		assert_int_equal(b.ops->reap(b.engine, done, 1, DEPTH, until), 0);
		assert_true(clock_ns() >= until);
		close_engine(&b);
	}
}

static void
choice(void **state)
{
	struct target *target = ((struct place *)*state)->target, nowhere = { .facts = { .kind = TARGET_NULL }, .fd = -1 };
	char why[160];

	assert_ptr_equal(engine_choose(ENGINE_URING, &nowhere, why, sizeof(why)), &engine_null);
	assert_string_equal(why, "");
	assert_ptr_equal(engine_choose(ENGINE_PSYNC, target, why, sizeof(why)), &engine_psync);
	assert_string_equal(why, "");
	NEED(&engine_uring);
	assert_ptr_equal(engine_choose(ENGINE_AUTO, target, why, sizeof(why)), &engine_uring);
	assert_string_equal(why, "");
	NEED(&engine_aio);
	assert_ptr_equal(engine_choose(ENGINE_AIO, target, why, sizeof(why)), &engine_aio);
	assert_string_equal(why, "");
}

/* Lets no system call with this number through, for this process. */
static void
forbid(long number, int error)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = 4, .filter = filter };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Runs it in a process of its own; its exit status. */
static int
apart(int (*run)(const struct target *), const struct target *target)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(run(target));
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int
without_uring(const struct target *target)
{
	char why[160];

	forbid(__NR_io_uring_setup, EPERM);
	if (engine_choose(ENGINE_AUTO, target, why, sizeof(why)) != &engine_aio)
		return 1;
	if (strstr(why, "uring") == NULL || strstr(why, "forbidden") == NULL)
		return 2;
	forbid(__NR_io_setup, ENOSYS);
	if (engine_choose(ENGINE_URING, target, why, sizeof(why)) != &engine_psync)
		return 3;
	return strstr(why, "uring") == NULL ? 4 : 0;
}

static void
forbidden_engines_fall_back(void **state)
{
	NEED(&engine_aio);
	assert_int_equal(apart(without_uring, ((struct place *)*state)->target), 0);
}

/* More buffers than may be locked (the ring itself counts too): the engine works, and says what it does without. */
static int
without_memory(const struct target *target)
{
	struct rlimit none = { 1 << 19, 1 << 19 };
	struct engine_args args = { .fd = target->fd, .depth = DEPTH, .slot_bytes = 1 << 19 };
	uint8_t *buffers = aligned_alloc(BLOCK, DEPTH << 19);
	struct io io = { .dir = IO_READ, .bytes = BLOCK, .buf = buffers }, *ios = &io;
	struct engine *engine;
	int rc;

	if (setrlimit(RLIMIT_MEMLOCK, &none) < 0 || (geteuid() == 0 && setuid(65534) < 0))
		return 77;
	args.buffers = buffers;
	rc = engine_uring.open(&engine, &args);
	if (rc == -ENOMEM)
		return 77;	/* another process of this user has it all */
	if (rc != 0)
		return 1;
	if (strstr(engine->note, "buffers not registered") == NULL)
		return 2;
	if (engine_uring.submit(engine, &ios, 1) != 1 || engine_uring.reap(engine, &ios, 1, 1, UINT64_MAX) != 1)
		return 3;
	engine_uring.close(engine);
	return io.result == BLOCK ? 0 : 4;
}

static void
buffers_that_cannot_be_registered(void **state)
{
	int rc;

	NEED(&engine_uring);
	rc = apart(without_memory, ((struct place *)*state)->target);
	if (rc == 77) {
		print_message("skipped: memory cannot be limited here\n");
		skip();
	}
	assert_int_equal(rc, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(null),
		TEST(psync),
		TEST(aio),
		TEST(uring),
		TEST(no_write_without_the_grant),
		TEST(no_write_with_the_grant_of_another),
		TEST(errors_come_with_their_io),
		TEST(deadlines),
		TEST(choice),
		TEST(forbidden_engines_fall_back),
		TEST(buffers_that_cannot_be_registered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

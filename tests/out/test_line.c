#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "out/line.h"

enum { BIG = 300000 };	/* more than a pipe holds */

static void
grows(void **state)
{
	struct line l = { 0 };

	(void)state;
	for (int i = 0; i < 1000; i++)
		line_text(&l, "12345");
	line_char(&l, '6');
	assert_int_equal(l.len, 5001);
	assert_memory_equal(l.buf + 4995, "123456", 6);
	line_free(&l);
	assert_null(l.buf);
}

struct reader {
	int fd;
	size_t total, wrong;
};

static void *
read_all(void *arg)
{
	struct reader *r = arg;
	char buf[700];
	ssize_t n;

	while ((n = read(r->fd, buf, sizeof(buf))) > 0)
		for (ssize_t i = 0; i < n; i++)
			r->wrong += buf[i] != (char)('a' + r->total++ % 26);
	return NULL;
}

static void
write_big(int flags)
{
	struct line l = { 0 };
	struct reader r = { 0 };
	pthread_t thread;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	fcntl(fds[1], F_SETFL, flags);
	r.fd = fds[0];
	for (int i = 0; i < BIG; i++)
		line_char(&l, (char)('a' + i % 26));
	assert_int_equal(pthread_create(&thread, NULL, read_all, &r), 0);
	assert_int_equal(line_write(&l, fds[1]), 0);
	assert_int_equal(l.len, 0);
	close(fds[1]);
	pthread_join(thread, NULL);
	close(fds[0]);
	assert_int_equal(r.total, BIG);
	assert_int_equal(r.wrong, 0);
	line_free(&l);
}

static void
short_writes(void **state)
{
	(void)state;
	write_big(0);
}

static void
non_blocking(void **state)
{
	(void)state;
	write_big(O_NONBLOCK);
}

static void
closed(void **state)
{
	struct line l = { 0 };
	int fds[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	line_text(&l, "x\n");
	assert_int_equal(line_write(&l, fds[1]), -EPIPE);
	assert_int_equal(l.len, 0);
	line_text(&l, "x\n");
	assert_int_equal(line_write(&l, -1), -EBADF);
	close(fds[1]);
	line_free(&l);
}

static void
on_alarm(int sig)
{
	(void)sig;
}

/* The reader does not read: a signal ends the wait when nothing of the line is out yet. */
static void
interrupted(void **state)
{
	struct sigaction sa = { .sa_handler = on_alarm };
	struct line l = { 0 };
	int fds[2];

	(void)state;
	sigaction(SIGALRM, &sa, NULL);
	assert_int_equal(pipe(fds), 0);
	fcntl(fds[1], F_SETFL, O_NONBLOCK);
	while (write(fds[1], "x", 1) == 1)
		;
	fcntl(fds[1], F_SETFL, 0);
	line_text(&l, "y\n");
	/* Again and again, for the first could come before the write. */
	ualarm(10000, 10000);
	assert_int_equal(line_write(&l, fds[1]), -EINTR);
	ualarm(0, 0);
	close(fds[0]);
	close(fds[1]);
	line_free(&l);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows),
		cmocka_unit_test(short_writes),
		cmocka_unit_test(non_blocking),
		cmocka_unit_test(closed),
		cmocka_unit_test(interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

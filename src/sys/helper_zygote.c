/*
 * The forking process. It is small and holds nothing, so that a fork costs little and a child stuck
 * in the kernel for good keeps no pipe, terminal or file of ours open.
 */
#include "sys/helper_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/helper.h"

struct zygote {
	int socket, signals;
	pid_t pid;
	struct {
		pid_t pid;	/* 0: free */
		uint32_t id;
	} children[HELPER_MAX_OPEN];
};

static int64_t
read_file(const char *path, char *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	size_t len = 0;
	ssize_t n = 0;

	if (fd < 0)
		return -errno;
	while (len < HELPER_MAX_BYTES) {
		n = read(fd, out + len, HELPER_MAX_BYTES - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	return n < 0 ? -errno : (int64_t)len;
}

static int64_t
statfs_text(const char *path, char *out)
{
	struct statfs fs;

	if (statfs(path, &fs) < 0)
		return -errno;
	return snprintf(out, HELPER_MAX_BYTES, "%lld %lld %llu %llu %llu", (long long)fs.f_type,
	    (long long)fs.f_bsize, (unsigned long long)fs.f_blocks,
	    (unsigned long long)fs.f_bfree, (unsigned long long)fs.f_bavail);
}

static int64_t
stat_text(const char *path, char *out)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return -errno;
	return snprintf(out, HELPER_MAX_BYTES, "%lu %llu %lld", (unsigned long)st.st_mode,
	    (unsigned long long)st.st_rdev, (long long)st.st_size);
}

static int64_t
work(const struct helper_question *question, char *out)
{
	switch ((enum helper_op)question->op) {
	case HELPER_READ:
		return read_file(question->path, out);
	case HELPER_STATFS:
		return statfs_text(question->path, out);
	case HELPER_STAT:
		return stat_text(question->path, out);
	}
	return -EINVAL;
}

static void
say(int socket, const struct helper_answer *answer)
{
	size_t data = answer->len > 0 ? (size_t)answer->len : 0;
	ssize_t n;

	do
		n = send(socket, answer, offsetof(struct helper_answer, data) + data, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
}

static void
say_gone(int socket, uint32_t id, int status)
{
	struct helper_answer answer;

	answer.id = id;
	answer.word = HELPER_GONE;
	answer.len = status;
	say(socket, &answer);
}

/* Dies with whoever made it, unless it is stuck in the kernel. */
static void
die_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
}

_Noreturn static void
child(const struct zygote *zygote, const struct helper_question *question)
{
	struct helper_answer answer;

	die_with(zygote->pid);
	answer.id = question->id;
	answer.word = HELPER_ANSWER;
	answer.len = work(question, answer.data);
	say(zygote->socket, &answer);
	_exit(0);
}

static void
start(struct zygote *zygote, const struct helper_question *question)
{
	size_t slot = 0;
	pid_t pid;

	while (slot < HELPER_MAX_OPEN && zygote->children[slot].pid != 0)
		slot++;
	if (slot == HELPER_MAX_OPEN) {
		say_gone(zygote->socket, question->id, -EBUSY);
		return;
	}
	pid = fork();
	if (pid == 0)
		child(zygote, question);
	if (pid < 0) {
		say_gone(zygote->socket, question->id, -errno);
		return;
	}
	zygote->children[slot].pid = pid;
	zygote->children[slot].id = question->id;
}

static void
reap(struct zygote *zygote)
{
	struct signalfd_siginfo info;
	pid_t pid;

	if (read(zygote->signals, &info, sizeof(info)) < 0 && errno != EAGAIN && errno != EINTR)
		_exit(1);
	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
		for (size_t i = 0; i < HELPER_MAX_OPEN; i++) {
			if (zygote->children[i].pid != pid)
				continue;
			zygote->children[i].pid = 0;
			say_gone(zygote->socket, zygote->children[i].id, -EIO);
		}
	}
}

static void
hear(struct zygote *zygote)
{
	struct helper_question question;
	ssize_t n = recv(zygote->socket, &question, sizeof(question) - 1, 0);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n < (ssize_t)offsetof(struct helper_question, path))
		_exit(0);
	((char *)&question)[n] = '\0';
	start(zygote, &question);
}

/* Holds nothing but the socket, as fd 3; it may have come as one of the first three. */
static int
let_go(int socket)
{
	int high = fcntl(socket, F_DUPFD, 16), null = open("/dev/null", O_RDWR);

	if (high < 0 || null < 0)
		_exit(1);
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	dup2(high, 3);
	if (close_range(4, ~0u, 0) < 0) {
		/* before Linux 5.9; the program has just begun and has few */
		for (int fd = 4; fd < 1024; fd++)
			close(fd);
	}
	return 3;
}

/* A session of its own: Ctrl-C and Ctrl-Z at the terminal are for the program to understand. */
static void
fresh_signals(void)
{
	sigset_t none;

	setsid();
	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int
child_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

_Noreturn void
helper_zygote(int socket, int parent_pid)
{
	struct zygote zygote = { .pid = getpid() };
	struct pollfd fds[2];

	die_with(parent_pid);
	prctl(PR_SET_NAME, "stortop-helper");
	fresh_signals();
	zygote.socket = let_go(socket);
	zygote.signals = child_signals();
	if (zygote.signals < 0)
		_exit(1);
	fds[0] = (struct pollfd) { .fd = zygote.socket, .events = POLLIN };
	fds[1] = (struct pollfd) { .fd = zygote.signals, .events = POLLIN };
	for (;;) {
		if (poll(fds, 2, -1) < 0)
			continue;
		/* the ended first: their places are free for the next question */
		if (fds[1].revents != 0)
			reap(&zygote);
		if (fds[0].revents != 0)
			hear(&zygote);
	}
}

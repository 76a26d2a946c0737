#include "sys/helper.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/xalloc.h"
#include "sys/helper_wire.h"


enum state {
	FREE,
	WAITING,	/* for the answer */
	HANGS,		/* over the limit; the child is still there */
	ANSWERED,	/* the child is about to end */
};

struct question {
	enum state state;
	uint32_t id;
	char *path;
	helper_reply *reply;	/* NULL: forgotten */
	void *arg;
	uint64_t due_ns;
};

struct helper {
	int socket;	/* -1: the forking process is gone */
	pid_t zygote;
	uint32_t last_id;
	struct question open[HELPER_MAX_OPEN];
	struct helper_answer answer;
};

struct helper *
helper_start(void)
{
	struct helper *helper;
	int pair[2], error;
	pid_t me = getpid(), pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return NULL;
	pid = fork();
	if (pid == 0)
		helper_zygote(pair[1], me);
	error = errno;
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		errno = error;
		return NULL;
	}
	helper = xcalloc(1, sizeof(*helper));
	helper->socket = pair[0];
	helper->zygote = pid;
	return helper;
}

static void
release(struct question *question)
{
	free(question->path);
	*question = (struct question) { .state = FREE };
}

static struct question *
find(struct helper *helper, uint32_t id)
{
	for (size_t i = 0; i < HELPER_MAX_OPEN; i++) {
		if (helper->open[i].state != FREE && helper->open[i].id == id)
			return &helper->open[i];
	}
	return NULL;
}

/* The place for a new question, or NULL: none, or the path still hangs. */
static struct question *
place_for(struct helper *helper, const char *path)
{
	struct question *place = NULL;

	for (size_t i = 0; i < HELPER_MAX_OPEN; i++) {
		struct question *q = &helper->open[i];

		if (q->state == FREE)
			place = q;
		else if (q->state == HANGS && strcmp(q->path, path) == 0)
			return NULL;
	}
	return place;
}

static int
send_question(struct helper *helper, uint32_t id, enum helper_op op, const char *path)
{
	struct helper_question message = { .id = id, .op = (uint32_t)op };
	size_t len = strlen(path);

	if (len >= sizeof(message.path))
		return -ENAMETOOLONG;
	memcpy(message.path, path, len + 1);
	if (send(helper->socket, &message, offsetof(struct helper_question, path) + len,
		MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return errno == EAGAIN ? -EBUSY : -errno;
	return 0;
}

int
helper_ask(struct helper *helper, enum helper_op op, const char *path, helper_reply *reply, void *arg)
{
	struct question *question = place_for(helper, path);
	int rc;

	if (helper->socket < 0)
		return -EPIPE;
	if (question == NULL)
		return -EBUSY;
	rc = send_question(helper, helper->last_id + 1, op, path);
	if (rc < 0)
		return rc;
	*question = (struct question) {
		.state = WAITING,
		.id = ++helper->last_id,
		.path = xstrdup(path),
		.reply = reply,
		.arg = arg,
		.due_ns = clock_ns() + (uint64_t)HELPER_LIMIT_MS * NS_PER_MS,
	};
	return 0;
}

void
helper_forget(struct helper *helper, void *arg)
{
	for (size_t i = 0; i < HELPER_MAX_OPEN; i++) {
		if (helper->open[i].state != FREE && helper->open[i].arg == arg)
			helper->open[i].reply = NULL;
	}
}

int
helper_fd(const struct helper *helper)
{
	return helper->socket;
}

/* The reply is called last: it may ask the next question. */
static void
deliver(struct question *question, enum state next, const char *data, long len)
{
	helper_reply *reply = question->state == WAITING ? question->reply : NULL;
	void *arg = question->arg;

	if (question->state != HANGS)
		question->state = next;
	if (next == FREE)
		release(question);
	if (reply != NULL)
		reply(arg, data, len);
}

static void
take(struct helper *helper, size_t size)
{
	struct helper_answer *answer = &helper->answer;
	size_t head = offsetof(struct helper_answer, data);
	struct question *question = find(helper, answer->id);

	if (question == NULL || size < head)
		return;
	if (answer->word == HELPER_GONE) {
		deliver(question, FREE, NULL, (long)answer->len);
		return;
	}
	((char *)answer)[size] = '\0';
	if (answer->len < 0)
		deliver(question, ANSWERED, NULL, (long)answer->len);
	else
		deliver(question, ANSWERED, answer->data, (long)(size - head));
}

/* Nobody answers any more: whoever waits is told, whatever hangs is not ours to know. */
static void
zygote_lost(struct helper *helper)
{
	close(helper->socket);
	helper->socket = -1;
	for (size_t i = 0; i < HELPER_MAX_OPEN; i++) {
		if (helper->open[i].state != FREE)
			deliver(&helper->open[i], FREE, NULL, -EPIPE);
	}
}

static void
drain(struct helper *helper)
{
	while (helper->socket >= 0) {
		ssize_t n = recv(helper->socket, &helper->answer, sizeof(helper->answer) - 1, MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0)
			zygote_lost(helper);
		else
			take(helper, (size_t)n);
	}
}

int
helper_timeout(const struct helper *helper)
{
	uint64_t next = UINT64_MAX, now;

	for (size_t i = 0; i < HELPER_MAX_OPEN; i++) {
		const struct question *q = &helper->open[i];

		if (q->state == WAITING && q->due_ns < next)
			next = q->due_ns;
	}
	if (next == UINT64_MAX)
		return -1;
	/* Rounded up, so that a poll() of that length ends behind it. */
	now = clock_ns();
	return next <= now ? 0 : (int)((next - now + NS_PER_MS - 1) / NS_PER_MS);
}

int
helper_poll(struct helper *helper)
{
	uint64_t now;

	drain(helper);
	now = clock_ns();
	for (size_t i = 0; i < HELPER_MAX_OPEN; i++) {
		struct question *q = &helper->open[i];

		if (q->state == WAITING && q->due_ns <= now)
			deliver(q, HANGS, NULL, -ETIMEDOUT);
	}
	return helper_timeout(helper);
}

void
helper_stop(struct helper *helper)
{
	if (helper == NULL)
		return;
	if (helper->socket >= 0) {
		kill(helper->zygote, SIGKILL);
		close(helper->socket);
	}
	/* It hangs nowhere itself, so this wait is short; its children are killed by its death. */
	waitpid(helper->zygote, NULL, 0);
	for (size_t i = 0; i < HELPER_MAX_OPEN; i++)
		free(helper->open[i].path);
	free(helper);
}

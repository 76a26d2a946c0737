#include "load/remote_wire.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/clock.h"

#define SLICE_MS 100	/* the library has timers of its own, which it looks at when it is called */

static void
keep_line(char out[static 160], const char *text)
{
	if (text == NULL)
		text = "";
	/* libnfs's words for each of them. */
	if (strstr(text, "Socket failed with POLLHUP") != NULL)
		text = "no connection: it was refused or broken off, or there is no way to that host";
	snprintf(out, 160, "%.*s", (int)strcspn(text, "\n"), text);
}

void
remote_wire_words(struct remote_wire *w, const char *text)
{
	keep_line(w->words, text);
}

void
remote_wire_well(struct remote_wire *w)
{
	keep_line(w->stale, w->ops->error(w->context));
}

/* The libraries keep their last error for good, and have none of a connection that the other end closed. */
static void
take_news(struct remote_wire *w)
{
	remote_wire_words(w, w->ops->error(w->context));
	if (strcmp(w->words, w->stale) == 0)
		w->words[0] = '\0';
}

const char *
remote_wire_why(const struct remote_wire *w, int rc)
{
	return w->words[0] != '\0' ? w->words : strerror(-rc);
}

void
remote_wire_lost(struct remote_wire *w)
{
	if (w->dead != 0)
		return;
	w->dead = -ECONNRESET;
	take_news(w);
	if (w->ops->cancel != NULL)
		w->ops->cancel(w->context);
}

int
remote_wire_await(struct remote_wire *w, int queued, const bool *done, uint64_t limit_ns)
{
	uint64_t until_ns = clock_ns() + limit_ns;

	if (queued < 0)
		w->dead = -EIO;
	while (!*done && w->dead == 0) {
		struct pollfd pfd = w->ops->poll(w->context);

		if (poll(&pfd, 1, SLICE_MS) < 0 && errno != EINTR)
			w->dead = -errno;
		else if (w->ops->service(w->context, pfd.revents) < 0)
			w->dead = -ECONNRESET;
		else if (clock_ns() > until_ns)
			w->dead = -ETIMEDOUT;
	}
	/* An answer has words of its own, though it was the last. */
	if (*done) {
		remote_wire_well(w);
		return 0;
	}
	if (w->dead == -ETIMEDOUT)
		remote_wire_words(w, "no answer");
	else
		take_news(w);
	return w->dead;
}

static void
serve(struct remote_wire *w, int revents)
{
	if (w->ops->service(w->context, revents) < 0)
		remote_wire_lost(w);
}

void
remote_wire_send(struct remote_wire *w)
{
	if (w->dead == 0 && (w->ops->poll(w->context).events & POLLOUT) != 0)
		serve(w, POLLOUT);
}

void
remote_wire_wait(struct remote_wire *w, uint64_t deadline_ns)
{
	uint64_t now = clock_ns();
	struct timespec left = clock_timespec(deadline_ns > now ? deadline_ns - now : 0);
	struct pollfd pfd;

	if (w->dead != 0)
		return;
	pfd = w->ops->poll(w->context);
	if (ppoll(&pfd, 1, deadline_ns == UINT64_MAX ? NULL : &left, NULL) > 0)
		serve(w, pfd.revents);
	if (w->ops->gone != NULL && w->ops->gone(w->context))
		remote_wire_lost(w);
}

/* The kernel lets a socket have no other. */
bool
remote_address_is_here(const struct sockaddr *address, socklen_t len)
{
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} own = { .any.sa_family = AF_UNSPEC };
	bool here;
	int fd;

	if (len > sizeof(own))
		return false;
	memcpy(&own, address, len);
	if (own.any.sa_family == AF_INET)
		own.v4.sin_port = 0;
	else if (own.any.sa_family == AF_INET6)
		own.v6.sin6_port = 0;
	else
		return false;
	fd = socket(own.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	here = fd >= 0 && bind(fd, &own.any, len) == 0;
	if (fd >= 0)
		close(fd);
	return here;
}

bool
remote_wire_is_here(const struct remote_wire *w)
{
	struct sockaddr_storage peer;
	socklen_t len = sizeof(peer);

	return getpeername(w->ops->poll(w->context).fd, (struct sockaddr *)&peer, &len) == 0 &&
	    remote_address_is_here((struct sockaddr *)&peer, len);
}

#include "probes/tcp_view.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/xalloc.h"

#define ASKED_MOST (sizeof(((struct tcp_view *)0)->asked) / sizeof(((struct tcp_view *)0)->asked[0]))

void
tcp_view_open(struct tcp_view *v, const struct env *env)
{
	*v = (struct tcp_view) { .fd = env->foreign ? -1 : sockdiag_open() };
}

void
tcp_view_close(struct tcp_view *v)
{
	if (v->fd >= 0)
		close(v->fd);
	free(v->list);
	*v = (struct tcp_view) { .fd = -1 };
}

void
tcp_view_begin(struct tcp_view *v)
{
	v->n = 0;
	v->n_asked = 0;
}

static void
append(void *arg, const struct sockdiag_tcp *socket)
{
	struct tcp_view *v = arg;

	if (v->n == v->cap) {
		v->cap = v->cap > 0 ? v->cap * 2 : 16;
		v->list = xreallocarray(v->list, v->cap, sizeof(*v->list));
	}
	v->list[v->n++] = *socket;
}

/*
 * Each port once a tick and family; of more than a few different ones the rest is not known. Whoever connects to an address as it is
 * written has a socket of its family: a dump of the other one, all sockets of a busy host, would be for nothing.
 */
static void
ask(struct tcp_view *v, const char *peer, uint16_t port)
{
	const int family = strchr(peer, ':') != NULL ? AF_INET6 : AF_INET;

	for (size_t i = 0; i < v->n_asked; i++)
		if (v->asked[i].port == port && v->asked[i].family == family)
			return;
	if (v->n_asked == ASKED_MOST)
		return;
	v->asked[v->n_asked++] = (struct tcp_question) { family, port };
	sockdiag_to_port(v->fd, family, port, append, v);
}

static const struct sockdiag_tcp *
find(const struct tcp_view *v, const char *peer, uint16_t peer_port, uint16_t local_port)
{
	const struct sockdiag_tcp *found = NULL;

	for (size_t i = 0; i < v->n; i++) {
		const struct sockdiag_tcp *s = &v->list[i];

		if (s->peer_port != peer_port || strcmp(s->peer, peer) != 0 || (local_port != 0 && s->local_port != local_port))
			continue;
		if (found != NULL && local_port == 0 && found->local_port != s->local_port)
			return NULL;
		found = s;
	}
	return found;
}

/* A new socket counts from zero: what the one before had counted stays. */
static uint64_t
add_growth(uint64_t *last, uint64_t now, bool same_socket, uint64_t *sum)
{
	*sum += same_socket && now >= *last ? now - *last : now;
	*last = now;
	return *sum;
}

void
tcp_view_cells(struct tcp_view *v, const char *peer, uint16_t peer_port, uint16_t local_port, struct tcp_count *count,
    uint64_t *cells)
{
	const struct sockdiag_tcp *s;
	bool same;

	if (v->fd < 0 || peer[0] == '\0' || peer_port == 0)
		return;
	ask(v, peer, peer_port);
	s = find(v, peer, peer_port, local_port);
	if (s == NULL)
		return;
	cells[TCP_SEND_QUEUE] = s->send_queue;
	if (!s->info)
		return;
	same = s->local_port == count->local_port;
	count->local_port = s->local_port;
	cells[TCP_SEEN] = s->established;
	cells[TCP_RTT_US] = s->established ? s->rtt_us : 0;
	cells[TCP_SEGMENTS] = add_growth(&count->last_segments, s->segments, same, &count->segments);
	cells[TCP_RETRANSMITTED] = add_growth(&count->last_retransmitted, s->retransmitted, same, &count->retransmitted);
}

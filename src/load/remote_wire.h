/*
 * The connection of a library that is driven by poll(), libnfs's or libiscsi's: serving it, waiting for it, and what it died of.
 * One thread at a time.
 */
#ifndef LOAD_REMOTE_WIRE_H
#define LOAD_REMOTE_WIRE_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* Functions of the library; context is its own. */
struct remote_wire_ops {
	const char *peer;			/* "server": who is at the other end */
	struct pollfd (*poll)(void *context);	/* what it waits for */
	int (*service)(void *context, int revents);	/* below 0: the connection is lost */
	const char *(*error)(void *context);	/* the last */
	bool (*gone)(void *context);		/* lost, and service() says nothing of it; NULL: it always does */
	void (*cancel)(void *context);		/* of a connection that is lost: answers what is under way; NULL: that is done already */
};

struct remote_wire {
	const struct remote_wire_ops *ops;
	void *context;
	int dead;		/* -errno of the connection; 0: it lives. Not served any more then */
	char words[160];	/* what the other end, or the library, said of the last error; "" */
	char stale[160];	/* the library's last error, of something else; "" */
};

/* Keeps the first line; NULL: "". */
void remote_wire_words(struct remote_wire *, const char *text);
/* Why something failed with rc (-errno): those words, where there are any. */
const char *remote_wire_why(const struct remote_wire *, int rc);
/* The connection is well: what the library calls its last error is not why it will be lost. */
void remote_wire_well(struct remote_wire *);
/* It is lost: -ECONNRESET, with the library's words if it has new ones, unless it is dead already. What is under way is answered, with errors. */
void remote_wire_lost(struct remote_wire *);

/*
 * Serves it until what the library queued with this result is done; after the limit the connection is dead. 0 or -errno. What
 * comes later finds nobody.
 */
int remote_wire_await(struct remote_wire *, int queued, const bool *done, uint64_t limit_ns);
/* Sends what waits to be sent, as far as there is room. */
void remote_wire_send(struct remote_wire *);
/* Waits for something to come, or for room to send, until the deadline (CLOCK_MONOTONIC ns; UINT64_MAX: none), and serves it. */
void remote_wire_wait(struct remote_wire *, uint64_t deadline_ns);

/* Is the other end on this host, by its address? False where that is not known. */
bool remote_wire_is_here(const struct remote_wire *);
/* Is this address one of this host's? */
bool remote_address_is_here(const struct sockaddr *, socklen_t);

#endif

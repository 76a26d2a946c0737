/*
 * A tap: a live capture on one interface, with a thread of its own that owns the ring and a decoder. The thread gives up all its
 * capabilities before it reads the first packet. What it has found it hands out as copies, when asked, so that the asker never
 * waits for packets. Everything here is for the main thread.
 */
#ifndef WIRE_TAP_H
#define WIRE_TAP_H

#include "probes/wire/wire.h"

/* What was seen since the tap was opened; counters only grow. */
struct tap_view {
	struct wire_health health;
	uint64_t dropped;	/* packets, by the kernel: the ring was full */
	size_t n;
	struct wire_flow *flows;	/* copies, in no order; their names are the tap's, until it is closed */
};

struct tap;

/* NULL where it cannot be opened: what to do is in why. Nothing in it changes from one attempt to the next. */
struct tap *tap_open(const char *interface, char *why, size_t size);
/* Ends the thread, and waits for it: it is never longer away than for some thousand packets. NULL is fine. */
void tap_close(struct tap *);

/* Asks for a copy of what there is now. */
void tap_ask(struct tap *);
/*
 * The copy asked for, after at most so long a wait; where the thread did not get to it the one before. Good until the next call.
 * NULL: there was none yet.
 */
const struct tap_view *tap_view(struct tap *, uint64_t wait_ns);
/* Has it ended by itself (the interface is gone)? Then why; otherwise NULL. */
const char *tap_ended(struct tap *);

#endif

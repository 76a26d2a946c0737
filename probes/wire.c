/*
 * NFS and iSCSI on the wire, live: a tap on each interface that was asked for (env->capture). One that is not there, or goes, is
 * tried again; its objects are absent meanwhile.
 */
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/kinds/kinds.h"
#include "core/xalloc.h"
#include "probes/flow_book.h"
#include "probes/probe.h"
#include "probes/wire/tap.h"
#include "sys/text.h"

/* A tap's thread copies thousands of flows in less. On a machine that has no core for it the figures come with the next tick. */
#define WAIT_NS (100 * NS_PER_MS)
/* The first copy is waited for longer: the thread has only just begun. */
#define FIRST_WAIT_NS (500 * NS_PER_MS)
#define RETRY_NS (2 * NS_PER_S)

struct port {
	char interface[CAPTURE_NAME_MAX];
	struct tap *tap;		/* NULL: not there */
	uint64_t tried_ns;		/* when it was last tried */
	char why[160];			/* "": it captures */
	bool lost;			/* the kernel dropped packets of this tap */
	bool cut;			/* messages of it lay beyond what is kept of a packet */
	bool down;			/* no packet came, as the interface is down */
	uint64_t packets;		/* that the tap had seen when it was last looked at */
	struct object *object;
	struct flow_book book;
};

struct wire_probe {
	struct probe probe;
	size_t n;
	struct port *ports[CAPTURES_MOST];
};

/* Another tap begins at zero: whatever it sees is new. */
static void
forget(struct port *p)
{
	flow_book_clear(&p->book);	/* before the tap, whose names it has */
	tap_close(p->tap);
	p->tap = NULL;
	p->lost = p->cut = p->down = false;
	p->packets = 0;
	object_unref(p->object);
	p->object = NULL;
}

static void
try_open(struct port *p, uint64_t now_ns)
{
	p->tried_ns = now_ns;
	p->tap = tap_open(p->interface, p->why, sizeof(p->why));
	if (p->tap == NULL)
		return;
	p->why[0] = '\0';
	p->object = object_new(&kind_capture, 0, p->interface, p->interface);
	p->book = (struct flow_book){ .interface = p->interface };
}

/* Interfaces are only ever added to the list. */
static void
follow_list(struct wire_probe *w)
{
	const struct captures *list = w->probe.env->captures;

	while (list != NULL && w->n < list->n) {
		struct port *p = w->ports[w->n] = xcalloc(1, sizeof(*p));

		text_copy(p->interface, sizeof(p->interface), list->names[w->n++]);
	}
}

static void
keep_going(struct port *p, uint64_t now_ns)
{
	const char *ended = p->tap != NULL ? tap_ended(p->tap) : NULL;

	if (ended != NULL) {
		snprintf(p->why, sizeof(p->why), "%s: the capture ended: %.80s; it is tried again", p->interface, ended);
		forget(p);
		p->tried_ns = now_ns;
	}
	if (p->tap == NULL && (p->tried_ns == 0 || now_ns - p->tried_ns >= RETRY_NS))
		try_open(p, now_ns);
	if (p->tap != NULL)
		tap_ask(p->tap);
}

/* An interface that went down gives no packets, and no error. */
static bool
is_down(const char *interface)
{
	struct ifreq r = { 0 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool down;

	if (fd < 0)
		return false;
	text_copy(r.ifr_name, sizeof(r.ifr_name), interface);
	down = ioctl(fd, SIOCGIFFLAGS, &r) == 0 && !(r.ifr_flags & IFF_UP);
	close(fd);
	return down;
}

static void
put_capture(struct port *p, const struct tap_view *view, struct snapshot_table *table)
{
	const struct wire_health *h = &view->health;
	uint64_t *cells = snapshot_add(table, p->object);

	cells[CAPTURE_PACKETS] = h->packets;
	cells[CAPTURE_BYTES] = h->bytes;
	cells[CAPTURE_DROPPED] = view->dropped;
	cells[CAPTURE_GAPS] = h->gaps;
	cells[CAPTURE_RESYNCS] = h->resyncs;
	cells[CAPTURE_ORPHANS] = h->orphan_replies;
	cells[CAPTURE_UNANSWERED] = h->unanswered;
	cells[CAPTURE_TRUNCATED] = h->truncated;
	cells[CAPTURE_MALFORMED] = h->malformed;
	cells[CAPTURE_RETRANSMITTED] = h->retransmitted;
	cells[CAPTURE_PRIVATE] = h->private_calls;
	cells[CAPTURE_TLS] = h->tls_connections;
	cells[CAPTURE_RDMA] = h->rdma_packets;
	cells[CAPTURE_EVICTED] = h->dropped_connections;
	cells[CAPTURE_CROWDED] = h->crowded + h->untimed;
	p->lost = view->dropped > 0;
	p->cut = h->truncated > 0;
	p->down = h->packets == p->packets && is_down(p->interface);
	p->packets = h->packets;
}

/* What makes the figures of its flows incomplete. */
static uint64_t
missed_by(const struct tap_view *view)
{
	const struct wire_health *h = &view->health;

	return view->dropped + h->gaps + h->truncated + h->malformed + h->untimed;
}

/* All that is wrong, in one line. */
static void
say(struct wire_probe *w)
{
	char *why = w->probe.why;

	why[0] = '\0';
	for (size_t i = 0; i < w->n; i++) {
		const struct port *p = w->ports[i];
		size_t len = strlen(why), size = sizeof(w->probe.why);

		if (p->why[0] != '\0')
			snprintf(why + len, size - len, "%s%s", len > 0 ? "; " : "", p->why);
		else if (p->down)
			snprintf(why + len, size - len, "%s%s: the interface is down", len > 0 ? "; " : "", p->interface);
		else if (p->lost)
			snprintf(why + len, size - len, "%s%s: packets were dropped, figures of flows are incomplete",
			    len > 0 ? "; " : "", p->interface);
		else if (p->cut)
			snprintf(why + len, size - len, "%s%s: requests far into large segments are not seen: ethtool -K %s tso off gso off gro off",
			    len > 0 ? "; " : "", p->interface, p->interface);
	}
}

static int
wire_sample(struct probe *probe, struct snapshot *snapshot)
{
	struct wire_probe *w = (struct wire_probe *)probe;
	struct flow_tables tables;
	struct snapshot_table *captures;

	follow_list(w);
	snprintf(probe->note, sizeof(probe->note), "%s", w->n > 0 ? "" : "no --capture");
	if (w->n == 0)
		return 0;
	/* All at once: the threads work side by side. */
	for (size_t i = 0; i < w->n; i++)
		keep_going(w->ports[i], snapshot->stamp.mono_ns);
	tables = flow_tables_of(snapshot);
	captures = snapshot_table(snapshot, &kind_capture);
	for (size_t i = 0; i < w->n; i++) {
		struct port *p = w->ports[i];
		const struct tap_view *view = NULL;

		if (p->tap != NULL)
			view = tap_view(p->tap, p->book.entries == NULL ? FIRST_WAIT_NS : WAIT_NS);
		if (view == NULL)
			continue;
		put_capture(p, view, captures);
		flow_book_put(&p->book, view->flows, view->n, missed_by(view), &tables);
	}
	say(w);
	return 0;
}

static void
wire_close(struct probe *probe)
{
	struct wire_probe *w = (struct wire_probe *)probe;

	for (size_t i = 0; i < w->n; i++) {
		forget(w->ports[i]);
		free(w->ports[i]);
	}
}

static const struct kind *const kinds[] = { &kind_nfs_flow, &kind_nfs_flow_op, &kind_iscsi_flow, &kind_iscsi_flow_op,
	&kind_capture, NULL };

const struct probe_ops probe_wire = {
	.name = "wire",
	.what = "NFS and iSCSI in the packets of the interfaces given with --capture",
	.kinds = kinds,
	.size = sizeof(struct wire_probe),
	.sample = wire_sample,
	.close = wire_close,
};

#include "probes/wire/tap.h"

#include <errno.h>
#include <linux/capability.h>
#include <net/if.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/xalloc.h"

/* Enough for the headers and the part of an RPC call or SCSI command that is read, digests and names included. */
#define SNAPLEN 512
/* A quarter of a second of 100,000 packets of half that length a second: as long as the thread may have to wait for a core. */
#define RING_BYTES (12 << 20)
/* How late a packet may be handed to us. The kernel hands out blocks: a longer one costs fewer calls. */
#define BLOCK_MS 20
/* Packets between two looks at what was asked for: some milliseconds. */
#define BATCH 4096
#define HIST_BITS 3
/* Requests kept without a reply: a second of 30,000 a second that nobody answers. */
#define PENDINGS 32768
/* Flows told apart at a time; with the others of each protocol tables of 2,048 rows, which grow by doubling. */
#define FLOWS (2048 - WIRE_PROTOCOLS)
/* A thousand flows with four operations each, whose latencies are anything from 50 us to 50 ms, have half of it. There are up to three copies. */
#define OP_BYTES (8 << 20)

struct tap {
	pcap_t *pcap;
	struct wire_decoder *decoder;
	uint64_t tick_ns;		/* one unit of pcap's fractions of a second */
	uint32_t last_drops;		/* as pcap counts: in 32 bits */
	uint64_t dropped;
	int wake;			/* eventfd: asked, or to end */
	pthread_t thread;
	struct tap_view *held;		/* main thread: what tap_view() handed out last */

	pthread_mutex_t lock;		/* of what follows */
	pthread_cond_t answered;
	bool stop, ended;
	uint64_t asks, answers;
	struct tap_view *published;	/* not yet taken; NULL: none */
	char why[160];
};

static void
free_view(struct tap_view *view)
{
	if (view == NULL)
		return;
	for (size_t i = 0; i < view->n; i++) {
		struct wire_op *ops = (struct wire_op *)(uintptr_t)view->flows[i].ops;

		for (size_t k = 0; k < view->flows[i].n_ops; k++)
			hist_free(ops[k].hist);
		free(ops);
	}
	free(view->flows);
	free(view);
}

struct copying {
	struct tap_view *view;
	size_t room;
};

static void
copy_flow(void *arg, const struct wire_flow *flow)
{
	struct copying *c = arg;
	struct tap_view *view = c->view;
	struct wire_op *ops = xcalloc(flow->n_ops + 1, sizeof(*ops));
	struct wire_flow *copy;

	if (view->n == c->room) {
		c->room = c->room == 0 ? 16 : 2 * c->room;
		view->flows = xreallocarray(view->flows, c->room, sizeof(*view->flows));
	}
	for (size_t i = 0; i < flow->n_ops; i++) {
		ops[i] = flow->ops[i];
		ops[i].hist = hist_copy(flow->ops[i].hist);
	}
	copy = &view->flows[view->n++];
	*copy = *flow;
	copy->ops = ops;
	copy->errors = NULL;
	copy->n_errors = 0;
}

/* pcap's count runs on over the life of the capture, in 32 bits. */
static void
read_drops(struct tap *t)
{
	struct pcap_stat stat;

	if (pcap_stats(t->pcap, &stat) < 0)
		return;
	t->dropped += (uint32_t)(stat.ps_drop - t->last_drops);
	t->last_drops = stat.ps_drop;
}

static struct tap_view *
make_view(struct tap *t)
{
	struct copying c = { .view = xcalloc(1, sizeof(*c.view)) };

	read_drops(t);
	wire_decoder_tick(t->decoder, clock_read_ns(CLOCK_REALTIME));
	wire_decoder_visit(t->decoder, copy_flow, &c);
	c.view->health = *wire_decoder_health(t->decoder);
	c.view->dropped = t->dropped;
	return c.view;
}

/* False: to end. */
static bool
answer(struct tap *t)
{
	struct tap_view *view, *old;
	uint64_t asks, n;
	bool stop;

	(void)!read(t->wake, &n, sizeof(n));
	pthread_mutex_lock(&t->lock);
	stop = t->stop;
	asks = t->asks;
	pthread_mutex_unlock(&t->lock);
	if (stop)
		return false;
	view = make_view(t);
	pthread_mutex_lock(&t->lock);
	old = t->published;
	t->published = view;
	t->answers = asks;
	pthread_cond_signal(&t->answered);
	pthread_mutex_unlock(&t->lock);
	free_view(old);
	return true;
}

static void
feed(u_char *arg, const struct pcap_pkthdr *h, const u_char *bytes)
{
	struct tap *t = (struct tap *)(void *)arg;
	const struct wire_packet packet = {
		.ns = (uint64_t)h->ts.tv_sec * NS_PER_S + (uint64_t)h->ts.tv_usec * t->tick_ns,
		.caplen = h->caplen,
		.len = h->len,
		.bytes = bytes,
	};

	wire_decoder_feed(t->decoder, &packet);
}

/* Of this thread alone: what reads foreign bytes can do no more than read and count. Also as root. */
static void
give_up_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	syscall(SYS_capset, &header, none);
}

/* Until it is to end, or the interface is gone. pcap reads an interface that is down as one without packets. */
static int
watch(struct tap *t)
{
	struct pollfd fds[2] = {
		{ .fd = pcap_get_selectable_fd(t->pcap), .events = POLLIN },
		{ .fd = t->wake, .events = POLLIN },
	};

	for (;;) {
		const struct timeval *wait = pcap_get_required_select_timeout(t->pcap);
		int rc;

		if (poll(fds, 2, wait != NULL ? (int)(wait->tv_sec * 1000 + wait->tv_usec / 1000) : -1) < 0 && errno != EINTR)
			return -errno;
		rc = pcap_dispatch(t->pcap, BATCH, feed, (u_char *)t);
		if (rc < 0)
			return rc;
		if ((fds[1].revents & POLLIN) && !answer(t))
			return 0;
	}
}

static void *
tap_thread(void *arg)
{
	struct tap *t = arg;
	int rc;

	/* A ring that is not emptied in time loses packets: ahead of others where that may be asked for (root), but for little. */
	setpriority(PRIO_PROCESS, (id_t)gettid(), -10);
	give_up_capabilities();
	rc = watch(t);
	pthread_mutex_lock(&t->lock);
	t->ended = true;
	if (rc < 0)
		snprintf(t->why, sizeof(t->why), "%s", pcap_geterr(t->pcap));
	pthread_cond_signal(&t->answered);
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

static int
start_thread(struct tap *t)
{
	sigset_t all, old;
	int error;

	/* Signals are the main thread's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(&t->thread, NULL, tap_thread, t);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (error == 0)
		pthread_setname_np(t->thread, "capture");
	return -error;
}

/* Why pcap could not, and what to do about it, in words that stay the same. */
static void
explain(pcap_t *pcap, const char *interface, int rc, char *why, size_t size)
{
	if (rc == PCAP_ERROR_PERM_DENIED || rc == PCAP_ERROR_PROMISC_PERM_DENIED)
		snprintf(why, size, "%s: no right to capture: run as root, or grant it once with setcap cap_net_raw=ep $(which stortop)",
		    interface);
	else if (rc == PCAP_ERROR_NO_SUCH_DEVICE || if_nametoindex(interface) == 0)
		snprintf(why, size, "%s: there is no such interface; it is looked for again", interface);
	else if (rc == PCAP_ERROR_IFACE_NOT_UP)
		snprintf(why, size, "%s: the interface is down; it is tried again", interface);
	else
		snprintf(why, size, "%s: %s", interface, pcap_geterr(pcap));
}

/* The filter that takes everything: only with one does the kernel cut packets to SNAPLEN, instead of filling the ring with them. */
static int
cut_in_kernel(pcap_t *pcap)
{
	struct bpf_program all;
	int rc = pcap_compile(pcap, &all, "", 1, PCAP_NETMASK_UNKNOWN);

	if (rc < 0)
		return rc;
	rc = pcap_setfilter(pcap, &all);
	pcap_freecode(&all);
	return rc;
}

static pcap_t *
open_pcap(const char *interface, char *why, size_t size)
{
	char error[PCAP_ERRBUF_SIZE];
	pcap_t *pcap = pcap_create(interface, error);
	int rc;

	if (pcap == NULL) {
		snprintf(why, size, "%s: %s", interface, error);
		return NULL;
	}
	pcap_set_snaplen(pcap, SNAPLEN);
	pcap_set_promisc(pcap, 1);
	pcap_set_timeout(pcap, BLOCK_MS);
	pcap_set_buffer_size(pcap, RING_BYTES);
	pcap_set_tstamp_precision(pcap, PCAP_TSTAMP_PRECISION_NANO);
	rc = pcap_activate(pcap);
	if (rc < 0) {
		explain(pcap, interface, rc, why, size);
	} else if (!wire_link_known(pcap_datalink(pcap))) {
		snprintf(why, size, "%s: its link type is not one that can be read", interface);
		rc = -1;
	} else if (cut_in_kernel(pcap) < 0) {
		explain(pcap, interface, -1, why, size);
		rc = -1;
	} else if (pcap_setnonblock(pcap, 1, error) < 0) {
		snprintf(why, size, "%s: %s", interface, error);
		rc = -1;
	}
	if (rc >= 0)
		return pcap;
	pcap_close(pcap);
	return NULL;
}

static void
tap_free(struct tap *t)
{
	free_view(t->held);
	free_view(t->published);
	wire_decoder_free(t->decoder);
	pcap_close(t->pcap);
	if (t->wake >= 0)
		close(t->wake);
	pthread_cond_destroy(&t->answered);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

struct tap *
tap_open(const char *interface, char *why, size_t size)
{
	pcap_t *pcap = open_pcap(interface, why, size);
	struct wire_options options = { .hist_bits = HIST_BITS, .pendings = PENDINGS, .flows = FLOWS,
		.op_bytes = OP_BYTES };
	pthread_condattr_t attr;
	struct tap *t;
	int rc;

	if (pcap == NULL)
		return NULL;
	t = xcalloc(1, sizeof(*t));
	t->pcap = pcap;
	t->tick_ns = pcap_get_tstamp_precision(pcap) == PCAP_TSTAMP_PRECISION_NANO ? 1 : 1000;
	options.link_type = pcap_datalink(pcap);
	t->decoder = wire_decoder_new(&options);
	pthread_mutex_init(&t->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&t->answered, &attr);
	pthread_condattr_destroy(&attr);
	t->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rc = t->wake < 0 ? -errno : start_thread(t);
	if (rc == 0)
		return t;
	snprintf(why, size, "%s: no thread: %s", interface, strerror(-rc));
	tap_free(t);
	return NULL;
}

static void
wake(struct tap *t)
{
	const uint64_t one = 1;

	(void)!write(t->wake, &one, sizeof(one));
}

void
tap_close(struct tap *t)
{
	if (t == NULL)
		return;
	pthread_mutex_lock(&t->lock);
	t->stop = true;
	pthread_mutex_unlock(&t->lock);
	wake(t);
	pthread_join(t->thread, NULL);
	tap_free(t);
}

void
tap_ask(struct tap *t)
{
	pthread_mutex_lock(&t->lock);
	t->asks++;
	pthread_mutex_unlock(&t->lock);
	wake(t);
}

const struct tap_view *
tap_view(struct tap *t, uint64_t wait_ns)
{
	struct timespec until = clock_timespec(clock_ns() + wait_ns);
	struct tap_view *view;
	int rc = 0;

	pthread_mutex_lock(&t->lock);
	while (!t->ended && t->answers < t->asks && rc == 0)
		rc = pthread_cond_timedwait(&t->answered, &t->lock, &until);
	view = t->published;
	t->published = NULL;
	pthread_mutex_unlock(&t->lock);
	if (view != NULL) {
		free_view(t->held);
		t->held = view;
	}
	return t->held;
}

const char *
tap_ended(struct tap *t)
{
	bool ended;

	pthread_mutex_lock(&t->lock);
	ended = t->ended;
	pthread_mutex_unlock(&t->lock);
	return ended ? t->why : NULL;
}

#include "probes/block_detail.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "sys/helper.h"
#include "sys/text.h"

#define STATE_NS (5 * NS_PER_S)		/* each state is looked at this often */
#define RECHECK_NS (2 * NS_PER_S)
#define DETAIL_EVERY 12			/* and all details with every so many states: queue depths adapt */

static void
take_serial(struct block_device *d, const char *text, long len)
{
	char serial[TOPOLOGY_TEXT_MAX];

	while (len > 0 && strchr(" \t\n", text[len - 1]) != NULL)
		len--;
	if (len <= 0)
		return;
	snprintf(serial, sizeof(serial), "%.*s", len < 64 ? (int)len : 64, text);
	text_copy(d->detail.serial, sizeof(d->detail.serial), serial);
}

static void
serial_reply(void *arg, const char *data, long len)
{
	struct block_device *d = arg;

	d->asked = false;
	d->serial_known = len >= 0;
	d->silent = len == -ETIMEDOUT;
	take_serial(d, data, len);
	/* The labels are made when the next tick comes. */
	d->relabel = true;
}

/*
 * Reading the serial number of a virtio disk sends it a command, which a dead one never answers: that is
 * for the helper. What udev has asked already need not be asked again.
 */
static void
ask_serial(struct block_device *d)
{
	const struct env *env = d->table->env;
	char path[PATH_MAX], text[64];
	long len;

	if (d->facts.bus != BUS_VIRTIO || d->facts.dir == NULL || d->serial_known || d->asked)
		return;
	if (env->foreign) {
		d->serial_known = true;
		len = env_attr(env, text, sizeof(text), "%s/serial", d->facts.dir);
		take_serial(d, text, len);
	} else if (env->helper != NULL) {
		snprintf(path, sizeof(path), "%s%s/serial", env->root, d->facts.dir);
		d->asked = helper_ask(env->helper, HELPER_READ, path, serial_reply, d) == 0;
	}
}

static bool
has_state(const struct block_device *d)
{
	return !d->partition && (d->facts.bus == BUS_SCSI || d->facts.bus == BUS_NVME) && d->facts.device_dir != NULL;
}

/* True: it has changed. */
static bool
read_state(struct block_device *d, uint64_t now_ns)
{
	char before[TOPOLOGY_NAME_MAX];

	strcpy(before, d->state);
	topology_state(d->table->env, &d->facts, d->state);
	d->state_ns = now_ns;
	d->state_reads++;
	return strcmp(before, d->state) != 0;
}

/* What was asked for once is not asked for again: it is kept when the rest is read anew. */
static void
keep_serial(struct block_device *d, const struct topology_detail *before)
{
	if (d->facts.serial != NULL)
		d->serial_known = true;
	if (d->facts.bus != BUS_VIRTIO || d->detail.serial[0] != '\0')
		return;
	strcpy(d->detail.serial, before->serial);
	ask_serial(d);
}

/* True: something was not known before. */
static bool
read_device(struct block_device *d, uint64_t now_ns)
{
	struct topology_detail before = d->detail;
	bool changed = false;

	topology_detail(d->table->env, d->name, d->major, d->minor, &d->facts, &d->detail);
	keep_serial(d, &before);
	d->detailed = d->relabel = true;
	if (has_state(d))
		changed = read_state(d, now_ns);
	return memcmp(&before, &d->detail, sizeof(before)) != 0 || changed;
}

static void
read_adapter(const struct block_table *table, struct block_adapter *a, uint64_t now_ns)
{
	if (a->device != NULL)
		topology_adapter(table->env, &a->device->facts, &a->detail);
	else
		topology_fc_host(table->env, a->name, &a->detail);
	a->detailed = true;
	a->read_ns = now_ns;
	block_adapter_build(a);
}

/* An empty loop device has nothing to tell. */
static bool
wants_detail(const struct block_device *d)
{
	return !d->detailed && !d->hidden;
}

bool
block_detail_read(struct block_table *table, struct block_detail *detail, uint64_t now_ns)
{
	uint64_t began = 0, budget = table->env->detail_budget_ns;
	bool any = false, left = false;

	for (size_t i = 0; i < table->n_adapters + table->n; i++) {
		struct block_device *d = i >= table->n_adapters ? table->devices[i - table->n_adapters] : NULL;

		if (d != NULL ? !wants_detail(d) : table->adapters[i]->detailed)
			continue;
		if (!any)
			began = clock_ns();
		else if (budget != UINT64_MAX && clock_ns() - began >= budget) {
			left = true;
			break;
		}
		any = true;
		if (d == NULL)
			read_adapter(table, table->adapters[i], now_ns);
		detail->changed = d == NULL || read_device(d, now_ns) || detail->changed;
	}
	/* In between, devices get their own labels; what hangs on others' details waits for the last. */
	if (left || !detail->changed)
		return false;
	detail->changed = false;
	return true;
}

/* Ports and fabrics change state without a uevent; local adapters hardly ever do. */
static bool
adapter_has_state(const struct block_adapter *a)
{
	const char *transport = a->detail.transport;

	return a->detailed && (strcmp(transport, "fc") == 0 || strcmp(transport, "tcp") == 0 ||
	    strcmp(transport, "rdma") == 0 || strncmp(a->name, "nvme-subsys", 11) == 0);
}

/* One adapter a tick at most: counting an FC host's remote ports takes many reads. */
static void
poll_adapters(const struct block_table *table, struct block_detail *detail, uint64_t now_ns)
{
	for (size_t step = 0; step < table->n_adapters; step++) {
		struct block_adapter *a = table->adapters[detail->adapter_cursor++ % table->n_adapters];

		if (!adapter_has_state(a) || now_ns - a->read_ns < STATE_NS)
			continue;
		read_adapter(table, a, now_ns);
		return;
	}
}

/*
 * Whether the kernel counts a device's I/O can be changed at any time, also of those that have no state to
 * look at. One of them every two seconds is read anew.
 */
static void
recheck_one(struct block_table *table, struct block_detail *detail, uint64_t now_ns)
{
	if (now_ns - detail->recheck_ns < RECHECK_NS)
		return;
	detail->recheck_ns = now_ns;
	for (size_t step = 0; step < table->n; step++) {
		struct block_device *d = table->devices[detail->recheck_cursor++ % table->n];

		if (d->partition || d->hidden || !d->detailed || has_state(d))
			continue;
		d->detailed = false;
		return;
	}
}

bool
block_detail_states(struct block_table *table, struct block_detail *detail, uint64_t now_ns)
{
	uint64_t since = detail->last_ns != 0 ? now_ns - detail->last_ns : 0;
	size_t visits = since >= STATE_NS ? table->n : 1 + (size_t)(table->n * since / STATE_NS);
	bool changed = false;

	detail->last_ns = now_ns;
	for (size_t step = 0; step < table->n && visits > 0; step++) {
		struct block_device *d = table->devices[detail->cursor++ % table->n];

		if (!has_state(d) || !d->detailed || now_ns - d->state_ns < STATE_NS)
			continue;
		visits--;
		changed = read_state(d, now_ns) || changed;
		if (d->state_reads % DETAIL_EVERY == 0)
			d->detailed = false;
	}
	poll_adapters(table, detail, now_ns);
	recheck_one(table, detail, now_ns);
	return changed;
}

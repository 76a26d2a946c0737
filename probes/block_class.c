/*
 * The class of a device, which its latency threshold comes from.
 */
#include <string.h>

#include "probes/block_table.h"
#include "sys/text.h"

static bool
is_network(const char *transport)
{
	static const char *const transports[] = { "fc", "iscsi", "srp", "tcp", "rdma", NULL };

	return transport != NULL && text_is_one_of(transport, transports);
}

static bool
is_virtual(const struct block_device *d)
{
	static const char *const drivers[] = { "virtio_scsi", "vmw_pvscsi", "hv_storvsc", "storvsc", "xen-scsifront", NULL };
	static const char *const transports[] = { "virtio", "vmbus", "xen", NULL };

	if (d->facts.family->flags & FAMILY_VIRTUAL || d->facts.bus == BUS_VIRTIO)
		return true;
	if (d->facts.transport != NULL && text_is_one_of(d->facts.transport, transports))
		return true;
	return d->adapter != NULL && text_is_one_of(d->adapter->detail.driver, drivers);
}

static const char *
class_of_base(const struct block_device *d)
{
	const char *fabric = d->adapter != NULL ? d->adapter->detail.transport : "";

	if (d->in_memory || d->facts.family->flags & FAMILY_MEMORY)
		return "memory";
	if (d->facts.family->flags & FAMILY_NETWORK || is_network(d->facts.transport) || is_network(fabric))
		return "san";
	if (d->facts.bus == BUS_NVME && d->facts.dir != NULL && strstr(d->facts.dir, "/nvme-fabrics/") != NULL)
		return "san";
	if (is_virtual(d))
		return "virtual";
	if (d->facts.bus == BUS_NVME || d->facts.bus == BUS_NVME_HEAD || d->facts.bus == BUS_MMC)
		return "flash";
	if (!d->detailed || d->detail.rotational < 0)
		return NULL;
	return d->detail.rotational > 0 ? "rotational" : "flash";
}

/* Slowest first: a layer is judged by the slowest thing it stands on. */
static const char *const classes[] = { "rotational", "san", "virtual", "flash", "memory" };
#define N_CLASSES (sizeof(classes) / sizeof(classes[0]))

static void
slowest(struct block_device *d, void *arg)
{
	size_t *place = arg;
	const char *key = NULL;

	if (d->role == ROLE_HEAD && d->first_path != NULL)
		key = class_of_base(d->first_path);
	else if (d->role != ROLE_LAYER && !d->partition)
		key = class_of_base(d);
	for (size_t i = 0; key != NULL && i < *place; i++)
		if (strcmp(key, classes[i]) == 0)
			*place = i;
}

const char *
block_class(struct block_device *d)
{
	size_t place = N_CLASSES;

	block_walk_down(d, slowest, &place);
	return place < N_CLASSES ? classes[place] : NULL;
}

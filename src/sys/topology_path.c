#include <string.h>

#include "sys/topology.h"

/* One component of a path. */
struct part {
	const char *p;
	size_t len;
};

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t
digits(const char *p, size_t len)
{
	size_t n = 0;

	while (n < len && is_digit(p[n]))
		n++;
	return n;
}

static size_t
hex_digits(const char *p, size_t len)
{
	size_t n = 0;

	while (n < len && (is_digit(p[n]) || (p[n] >= 'a' && p[n] <= 'f')))
		n++;
	return n;
}

static bool
is(struct part part, const char *word)
{
	return part.len == strlen(word) && memcmp(part.p, word, part.len) == 0;
}

static bool
begins(struct part part, const char *prefix)
{
	size_t n = strlen(prefix);

	return part.len >= n && memcmp(part.p, prefix, n) == 0;
}

/* "host3" for prefix "host". */
static bool
is_numbered(struct part part, const char *prefix)
{
	size_t n = strlen(prefix);

	return begins(part, prefix) && part.len > n && digits(part.p + n, part.len - n) == part.len - n;
}

/* "0:0:1:2"; a LUN may have twenty digits. */
static bool
is_scsi_address(struct part part)
{
	for (int field = 0; field < 4; field++) {
		size_t n = digits(part.p, part.len);

		if (n == 0)
			return false;
		part.p += n;
		part.len -= n;
		if (field == 3)
			return part.len == 0;
		if (part.len == 0 || *part.p != ':')
			return false;
		part.p++;
		part.len--;
	}
	return false;
}

/* "0000:00:1f.2"; behind a VMD bridge the domain has five digits. */
static bool
is_pci_function(struct part part)
{
	static const char ends[] = { ':', ':', '.' };

	for (size_t field = 0; field < 3; field++) {
		size_t n = hex_digits(part.p, part.len);

		if (n == 0 || n == part.len || part.p[n] != ends[field])
			return false;
		part.p += n + 1;
		part.len -= n + 1;
	}
	return part.len > 0 && hex_digits(part.p, part.len) == part.len;
}

/* nvme0n1, and nvme0c1n1 for a path below a head. */
static bool
is_nvme_disk(struct part part)
{
	if (!begins(part, "nvme"))
		return false;
	part.p += 4;
	part.len -= 4;
	for (const char *mark = "cn"; *mark != '\0'; mark++) {
		size_t n = digits(part.p, part.len);

		if (n == 0 || n == part.len)
			return false;
		if (part.p[n] != *mark && *mark == 'c')
			continue;
		if (part.p[n] != *mark)
			return false;
		part.p += n + 1;
		part.len -= n + 1;
	}
	return digits(part.p, part.len) == part.len && part.len > 0;
}

static bool
copy(char out[static TOPOLOGY_NAME_MAX], struct part part)
{
	if (part.len == 0 || part.len >= TOPOLOGY_NAME_MAX)
		return false;
	memcpy(out, part.p, part.len);
	out[part.len] = '\0';
	return true;
}

/* The names of disks: sysfs has '!' where the kernel has '/'. */
static bool
copy_name(char out[static TOPOLOGY_NAME_MAX], struct part part)
{
	if (!copy(out, part))
		return false;
	for (char *p = out; (p = strchr(p, '!')) != NULL;)
		*p = '/';
	return true;
}

static const struct {
	const char *prefix;
	enum { NUMBERED, PREFIX } match;
	const char *transport;
} transports[] = {
	{ "usb", NUMBERED, "usb" },
	{ "ata", NUMBERED, "ata" },
	{ "virtio", NUMBERED, "virtio" },
	{ "rport-", PREFIX, "fc" },
	{ "session", NUMBERED, "iscsi" },
	{ "end_device-", PREFIX, "sas" },
	{ "VMBUS:", PREFIX, "vmbus" },
	{ "vmbus_", PREFIX, "vmbus" },
	{ "vbd-", PREFIX, "xen" },
};

static const struct {
	const char *prefix;
	enum topology_bus bus;
} adapters[] = {
	{ "host", BUS_SCSI },
	{ "nvme-subsys", BUS_NVME_HEAD },
	{ "nvme", BUS_NVME },
	{ "virtio", BUS_VIRTIO },
	{ "mmc", BUS_MMC },
	{ "cciss", BUS_OTHER },
};

/* The last of a kind counts: an NPIV port is a host below a host, virtio-scsi a host below virtio. */
static void
look_above_disk(struct topology_path *out, struct part part)
{
	for (size_t i = 0; i < sizeof(transports) / sizeof(transports[0]); i++)
		if (transports[i].match == NUMBERED ? is_numbered(part, transports[i].prefix) :
						      begins(part, transports[i].prefix))
			out->transport = transports[i].transport;
	for (size_t i = 0; i < sizeof(adapters) / sizeof(adapters[0]); i++) {
		if (!is_numbered(part, adapters[i].prefix) || !copy(out->adapter, part))
			continue;
		out->bus = adapters[i].bus;
		out->adapter_len = (size_t)(part.p + part.len - out->devices);
	}
	if (is_scsi_address(part))
		copy(out->address, part);
	else if (is_pci_function(part))
		copy(out->pci, part);
	else if (is_numbered(part, "session"))
		copy(out->session, part);
	else if (is(part, "virtual") && out->adapter_len == 0)
		out->bus = BUS_VIRTUAL;
}

/* From where "devices/" begins a component. */
static const char *
find_devices(const char *devpath)
{
	const char *p = devpath;

	while ((p = strstr(p, "devices/")) != NULL) {
		if (p == devpath || p[-1] == '/')
			return p;
		p++;
	}
	return NULL;
}

bool
topology_parse_path(const char *devpath, struct topology_path *out)
{
	struct part part = { NULL, 0 };
	bool block = false;
	const char *p;

	*out = (struct topology_path){ .bus = BUS_OTHER, .devices = find_devices(devpath) };
	if (out->devices == NULL)
		return false;
	for (p = out->devices; *p != '\0'; p += part.len + (p[part.len] == '/')) {
		part = (struct part){ p, strcspn(p, "/") };
		if (out->below[0] != '\0')
			return false;
		if (out->disk[0] != '\0') {
			if (!copy_name(out->below, part))
				return false;
		} else if (block || is_nvme_disk(part)) {
			if (!copy_name(out->disk, part))
				return false;
		} else if (is(part, "block")) {
			block = true;
		} else {
			look_above_disk(out, part);
			out->device_len = (size_t)(p + part.len - out->devices);
		}
	}
	return out->disk[0] != '\0';
}

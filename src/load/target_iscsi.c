/*
 * A LUN of an iSCSI target, by the same rules as a device of this machine, where it may be one too. What this host cannot see is
 * who else uses it: other hosts show by persistent reservations only.
 */
#include "config.h"
#ifdef HAVE_LIBISCSI

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/xalloc.h"
#include "load/iscsi_link.h"
#include "load/remote_wire.h"
#include "load/target_case.h"
#include "load/target_facts.h"
#include "load/target_grant.h"
#include "load/target_held.h"
#include "load/target_reservation.h"
#include "sys/text.h"

#define DISK 0
#define SERVICE_READ_KEYS 0
#define SERVICE_READ_RESERVATION 1
#define RESERVATION_BYTES 256
#define RESERVATION_HEADER 8

static const struct env machine = { .root = "" };

/* ---- the evidence ---- */

static int
ask_inquiry(struct iscsi_link *link, int page, uint8_t *data, uint8_t len)
{
	uint8_t cdb[6] = { 0x12, page >= 0, page >= 0 ? (uint8_t)page : 0, 0, len };

	return iscsi_link_ask(link, cdb, sizeof(cdb), data, len);
}

static int
read_identity(struct iscsi_link *link, struct target_facts *facts)
{
	struct scsi_identity identity;
	uint8_t data[252];
	int n = ask_inquiry(link, -1, data, 96);

	if (n < 0)
		return n;
	if (scsi_parse_identity(data, (size_t)n, &identity) < 0 || identity.qualifier != 0 || identity.type != DISK)
		return -ENODEV;
	snprintf(facts->model, sizeof(facts->model), "%s%s%s", identity.vendor, identity.vendor[0] != '\0' ? " " : "",
	    identity.product);
	iscsi_link_serial(link, facts->serial, sizeof(facts->serial));
	n = ask_inquiry(link, 0x83, data, sizeof(data));
	scsi_parse_wwn(data, n < 0 ? 0 : (size_t)n, facts->wwn, sizeof(facts->wwn));
	return 0;
}

static int
read_size(struct iscsi_link *link, struct target_facts *facts)
{
	struct scsi_capacity capacity;
	int rc = iscsi_link_capacity(link, &capacity);

	if (rc < 0)
		return rc;
	facts->size_bytes = capacity.blocks * capacity.block_bytes;
	facts->logical_block = capacity.block_bytes;
	facts->physical_block = capacity.physical_bytes;
	facts->mem_align = 1;
	return 0;
}

static bool
is_protected(struct iscsi_link *link)
{
	static const uint8_t cdb[6] = { 0x1a, 0x08, 0x3f, 0, 64 };	/* MODE SENSE (6), all pages, no block descriptors */
	uint8_t data[64];
	int n = iscsi_link_ask(link, cdb, sizeof(cdb), data, sizeof(data));

	return n > 0 && scsi_parse_protected(data, (size_t)n);
}

/* PERSISTENT RESERVE IN (SPC-4 6.16): bytes that came, or -errno; less than the header is no answer. */
static int
ask_reservations(struct iscsi_link *link, uint8_t service, uint8_t data[static RESERVATION_BYTES])
{
	const uint8_t cdb[10] = { 0x5e, service, [7] = RESERVATION_BYTES >> 8, [8] = RESERVATION_BYTES & 0xff };
	int n = iscsi_link_ask(link, cdb, sizeof(cdb), data, RESERVATION_BYTES);

	return n >= 0 && n < RESERVATION_HEADER ? -EIO : n;
}

/* Most LUNs know no reservations, and refuse the command. Any other error says nothing about who has one. */
static bool
unknown(int n)
{
	return n < 0 && n != -EREMOTEIO && n != -EBADE;
}

/*
 * Registered keys are other hosts', since this one registers none: who reads the LUN adds load to theirs, and who writes it
 * destroys what they have on it.
 */
static void
read_reservations(struct iscsi_link *link, struct device_case *c)
{
	uint8_t of_keys[RESERVATION_BYTES], of_holder[RESERVATION_BYTES];
	int holder = ask_reservations(link, SERVICE_READ_RESERVATION, of_holder);
	int n = unknown(holder) ? holder : ask_reservations(link, SERVICE_READ_KEYS, of_keys);
	unsigned keys = n > 0 ? reservation_scsi_keys(of_keys, (size_t)n) : 0;

	if (n == -EBADE || holder == -EBADE || (holder > 0 && scsi_parse_reserved(of_holder, (size_t)holder)))
		use_add(&c->uses, USE_EXPORT, NULL, "is reserved by another host (persistent reservation)");
	else if (keys > 0)
		use_add(&c->uses, USE_EXPORT, NULL, "is shared with other hosts: %u persistent reservation %s registered", keys,
		    keys == 1 ? "key is" : "keys are");
	if (unknown(n))
		use_blind(&c->uses, "its reservations cannot be read (%s)", iscsi_link_words(link, n));
}

/* The kernel of this host, or a multipath map, may have the same LUN by a session of its own, or over another fabric. */
static void
find_paths_here(struct device_case *c)
{
	struct quarry quarry = { .family = &c->family };

	if (c->facts.wwn[0] != '\0')
		family_of_wwn(c->env, c->facts.wwn, &c->family);
	/* Who uses what is not here need not be asked, which takes root's rights. */
	if (c->family.n > 0)
		uses_find(c->env, &quarry, &c->uses);
}

struct source {
	struct iscsi_link *link;
	uint32_t block_bytes;
};

/* The parts that are asked for begin and end at multiples of 4 KiB, but for the LUN's end. */
static int
read_source(void *arg, uint64_t at, void *buf, size_t len)
{
	struct source *source = arg;
	uint32_t block = source->block_bytes;
	uint64_t first = at / block * block, end = (at + len + block - 1) / block * block;
	uint8_t *whole = xmalloc((size_t)(end - first));
	int rc = iscsi_link_read(source->link, first / block, block, whole, (size_t)(end - first));

	if (rc == 0)
		memcpy(buf, whole + (at - first), len);
	free(whole);
	return rc;
}

static void
read_signature(struct iscsi_link *link, struct device_case *c)
{
	struct source source = { link, c->facts.logical_block };
	int fd = signature_copy(read_source, &source, c->facts.size_bytes, true);

	if (fd < 0) {
		c->signature = (struct signature){ .unreadable = true, .text = "contents that cannot be read" };
		return;
	}
	signature_read(fd, c->facts.size_bytes, &c->signature);
	close(fd);
}

static int
read_case(struct iscsi_link *link, const char *shown, struct device_case *out)
{
	int rc;

	*out = (struct device_case){ .env = &machine, .facts = { .kind = TARGET_DEVICE, .remote = REMOTE_ISCSI } };
	text_copy(out->facts.path, sizeof(out->facts.path), shown);
	rc = read_identity(link, &out->facts);
	if (rc == 0)
		rc = read_size(link, &out->facts);
	if (rc < 0)
		return rc;
	find_paths_here(out);
	out->read_only = is_protected(link);
	read_reservations(link, out);
	read_signature(link, out);
	device_case_describe(out);
	/* What was not seen since the connection went proves nothing. */
	return iscsi_link_wire(link)->dead;
}

/* ---- the target ---- */

static int
failed(const char *shown, struct iscsi_link *link, int rc, char *why, size_t size)
{
	snprintf(why, size, "%s: %s", shown, rc == -ENODEV ? "there is no disk under this LUN" : iscsi_link_words(link, rc));
	return TARGET_FAILED;
}

/* A person may have thought about it for minutes, and the target may have closed the session meanwhile. */
static int
prove_again(struct remote *remote, const struct target_request *request, const struct device_case *agreed,
    const struct write_grant **grant, char *why, size_t size)
{
	struct iscsi_link *link;
	struct device_case now;
	char reason[200];
	int rc = iscsi_link_open(&link, remote->url, REMOTE_LIMIT_NS, reason, sizeof(reason));

	if (rc < 0) {
		snprintf(why, size, "%s: %s", request->name, reason);
		return TARGET_FAILED;
	}
	rc = read_case(link, request->name, &now);
	rc = rc < 0 ? failed(request->name, link, rc, why, size) : grant_lun(agreed, &now, true, remote, grant, why, size);
	device_case_free(&now);
	iscsi_link_close(link);
	return rc;
}

static int
open_looked_at(struct remote *remote, const struct target_request *request, const struct device_case *c, struct target *target,
    char *why, size_t size)
{
	int rc = request->writes ? device_checks_run(c, why, size) : 0;

	if (rc == 0)
		rc = target_fits_block(request, &c->facts, why, size);
	if (rc == 0)
		rc = request->writes ? target_ask_name(request, c, why, size) : target_ask_to_share(request, c, why, size);
	if (rc == 0 && request->writes)
		rc = prove_again(remote, request, c, &target->grant, why, size);
	return rc;
}

int
target_open_iscsi(struct remote *remote, const struct target_request *request, struct target_held *held, char *why, size_t size)
{
	struct target *target = &held->target;
	struct iscsi_link *link;
	struct device_case c;
	char reason[200];
	int rc = iscsi_link_open(&link, remote->url, REMOTE_LIMIT_NS, reason, sizeof(reason));

	if (rc < 0) {
		snprintf(why, size, "%s: %s", request->name, reason);
		return rc == -EINVAL ? TARGET_USAGE : TARGET_FAILED;
	}
	remote->here = remote_wire_is_here(iscsi_link_wire(link));
	rc = read_case(link, request->name, &c);
	if (rc < 0)
		rc = failed(request->name, link, rc, why, size);
	iscsi_link_close(link);
	target->facts = c.facts;
	target->area_bytes = c.facts.size_bytes;
	target->written = c.signature.data || c.signature.known;
	if (rc == 0) {
		remote->block_bytes = c.facts.logical_block;
		remote->blocks = c.facts.size_bytes / c.facts.logical_block;
		text_copy(remote->serial, sizeof(remote->serial), c.facts.serial);
		rc = open_looked_at(remote, request, &c, target, why, size);
	}
	device_case_free(&c);
	return rc;
}

#endif

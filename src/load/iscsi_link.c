#include "config.h"
#ifdef HAVE_LIBISCSI

#include "load/iscsi_link.h"

#include <errno.h>
#include <iscsi/iscsi.h>
#include <iscsi/scsi-lowlevel.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/xalloc.h"
#include "load/remote_wire.h"

#define LOGOUT_NS NS_PER_S
#define ATTENTIONS 5		/* so many in a row are taken for news */
#define READ_BYTES 65536u
#define MOST_LUN 16383

struct iscsi_link {
	struct iscsi_context *context;
	struct remote_wire wire;
	uint64_t limit_ns;
	int lun;
	bool logged_in;
	/* Of the command that is waited for. */
	bool done;
	int status;
	struct scsi_task *task;	/* what came back; NULL: nothing */
};

static struct pollfd
wire_poll(void *context)
{
	return (struct pollfd){ .fd = iscsi_get_fd(context), .events = (short)iscsi_which_events(context) };
}

static int
wire_service(void *context, int revents)
{
	return iscsi_service(context, revents);
}

static const char *
wire_error(void *context)
{
	return iscsi_get_error(context);
}

/* The library that is not to connect again says nothing: it forgets that it was logged in. */
static bool
wire_gone(void *context)
{
	return !iscsi_is_logged_in(context);
}

static const struct remote_wire_ops wire_ops = {
	.peer = "target",
	.poll = wire_poll,
	.service = wire_service,
	.error = wire_error,
	.gone = wire_gone,
};

static int
await(struct iscsi_link *l, int queued)
{
	return remote_wire_await(&l->wire, queued, &l->done, l->limit_ns);
}

/* ---- the session ---- */

/* This machine's own name, by which targets know who may come in; the session is another than the kernel's all the same. */
static void
find_initiator(char *out, size_t size)
{
	const char *given = getenv("STORTOP_INITIATOR");
	FILE *f = given == NULL ? fopen("/etc/iscsi/initiatorname.iscsi", "re") : NULL;
	char line[300], host[64] = "localhost";

	gethostname(host, sizeof(host) - 1);
	snprintf(out, size, "iqn.2026-01.stortop:%s", host);
	if (given != NULL)
		snprintf(out, size, "%s", given);
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "InitiatorName=", 14) == 0)
			snprintf(out, size, "%.*s", (int)strcspn(line + 14, " \t\r\n"), line + 14);
	if (f != NULL)
		fclose(f);
}

/* Called again when the connection goes, which is no news then. */
static void
connected(struct iscsi_context *context, int status, void *data, void *arg)
{
	struct iscsi_link *l = arg;

	(void)data;
	if (l->logged_in || l->done)
		return;
	l->done = true;
	l->status = status;
	if (status != SCSI_STATUS_GOOD)
		remote_wire_words(&l->wire, iscsi_get_error(context));
}

/* Two sessions of the same name and number are one: the younger ends the older. */
static void
number_session(struct iscsi_context *context)
{
	uint32_t number[2] = { (uint32_t)getpid(), (uint32_t)clock_ns() };

	if (getrandom(number, sizeof(number), 0) < 0)
		number[1] ^= (uint32_t)(uintptr_t)context;
	iscsi_set_isid_random(context, number[0] & 0xffffff, number[1] & 0xffff);
}

static int
login(struct iscsi_link *l, struct iscsi_url *url, char *why, size_t size)
{
	int rc;

	iscsi_set_targetname(l->context, url->target);
	iscsi_set_session_type(l->context, ISCSI_SESSION_NORMAL);
	iscsi_set_header_digest(l->context, ISCSI_HEADER_DIGEST_NONE_CRC32C);
	iscsi_set_noautoreconnect(l->context, 1);
	number_session(l->context);
	if (url->user[0] != '\0')
		iscsi_set_initiator_username_pwd(l->context, url->user, url->passwd);
	if (url->target_user[0] != '\0')
		iscsi_set_target_username_pwd(l->context, url->target_user, url->target_passwd);
	l->lun = url->lun;
	l->done = false;
	rc = await(l, iscsi_full_connect_async(l->context, url->portal, url->lun, connected, l));
	if (rc == 0 && l->status != SCSI_STATUS_GOOD)
		rc = l->wire.dead = -EACCES;
	l->logged_in = rc == 0;
	if (rc < 0)
		snprintf(why, size, "login at %.60s: %s", url->portal, iscsi_link_words(l, rc));
	return rc;
}

/* The library cuts the number down to 16 bits: 65537 would be LUN 1. Two of them say how the others are meant (SAM-5, 4.7). */
static bool
is_lun(const char *url)
{
	const char *end = url + strcspn(url, "?"), *p = end;
	unsigned lun = 0;

	while (p > url && p[-1] != '/')
		p--;
	for (; p < end && *p >= '0' && *p <= '9' && lun <= MOST_LUN; p++)
		lun = lun * 10 + (unsigned)(*p - '0');
	return p == end && lun <= MOST_LUN;
}

int
iscsi_link_open(struct iscsi_link **out, const char *url, uint64_t limit_ns, char *why, size_t size)
{
	struct iscsi_link *l = xcalloc(1, sizeof(*l));
	char initiator[256];
	struct iscsi_url *parsed;
	int rc = -EINVAL;

	find_initiator(initiator, sizeof(initiator));
	l->limit_ns = limit_ns;
	l->context = iscsi_create_context(initiator);
	if (l->context == NULL)
		abort();
	l->wire = (struct remote_wire){ .ops = &wire_ops, .context = l->context };
	parsed = iscsi_parse_full_url(l->context, url);
	/* The library's own message has the URL in it, password and all. */
	if (parsed == NULL) {
		snprintf(why, size, "an iSCSI URL is iscsi://[user%%password@]portal[:port]/target/lun");
	} else {
		if (is_lun(url))
			rc = login(l, parsed, why, size);
		else
			snprintf(why, size, "a LUN is a number from 0 to %d", MOST_LUN);
		explicit_bzero(parsed->passwd, sizeof(parsed->passwd));
		explicit_bzero(parsed->target_passwd, sizeof(parsed->target_passwd));
		iscsi_destroy_url(parsed);
	}
	if (rc == 0) {
		*out = l;
		return 0;
	}
	iscsi_link_close(l);
	return rc;
}

static void
logged_out(struct iscsi_context *context, int status, void *data, void *arg)
{
	struct iscsi_link *l = arg;

	(void)context;
	(void)status;
	(void)data;
	l->done = true;
}

void
iscsi_link_close(struct iscsi_link *l)
{
	if (l == NULL)
		return;
	if (l->logged_in && l->wire.dead == 0 && iscsi_is_logged_in(l->context)) {
		l->done = false;
		l->limit_ns = LOGOUT_NS;
		await(l, iscsi_logout_async(l->context, logged_out, l));
	}
	/* Commands that nobody waits for any more are answered by this. */
	iscsi_destroy_context(l->context);
	free(l);
}

struct iscsi_context *
iscsi_link_context(struct iscsi_link *l)
{
	return l->context;
}

int
iscsi_link_lun(const struct iscsi_link *l)
{
	return l->lun;
}

struct remote_wire *
iscsi_link_wire(struct iscsi_link *l)
{
	return &l->wire;
}

const char *
iscsi_link_words(const struct iscsi_link *l, int rc)
{
	return remote_wire_why(&l->wire, rc);
}

/* ---- commands ---- */

static int
of_sense(const struct scsi_sense *sense)
{
	switch (sense->key) {
	case SCSI_SENSE_NOT_READY:
		return -ENXIO;
	case SCSI_SENSE_MEDIUM_ERROR:
		return -ENODATA;
	case SCSI_SENSE_ILLEGAL_REQUEST:
		return -EREMOTEIO;
	case SCSI_SENSE_UNIT_ATTENTION:
		return -EAGAIN;
	case SCSI_SENSE_DATA_PROTECTION:
		return -EPERM;
	default:
		return -EIO;
	}
}

int
iscsi_link_error(int status, const struct scsi_task *task, char *words, size_t size)
{
	switch (status) {
	case SCSI_STATUS_CHECK_CONDITION:
		if (task == NULL)
			break;
		snprintf(words, size, "%s, %s", scsi_sense_key_str((int)task->sense.key), scsi_sense_ascq_str(task->sense.ascq));
		return of_sense(&task->sense);
	case SCSI_STATUS_RESERVATION_CONFLICT:
		snprintf(words, size, "reservation conflict: another host has reserved it");
		return -EBADE;
	case SCSI_STATUS_BUSY:
	case SCSI_STATUS_TASK_SET_FULL:
		snprintf(words, size, "%s", status == SCSI_STATUS_BUSY ? "busy" : "task set full: the target takes fewer commands at once");
		return -EBUSY;
	case SCSI_STATUS_ERROR:
	case SCSI_STATUS_CANCELLED:
		return -ECONNRESET;
	default:
		break;
	}
	snprintf(words, size, "SCSI status 0x%x", (unsigned)status);
	return -EIO;
}

static void
answered(struct iscsi_context *context, int status, void *data, void *arg)
{
	struct iscsi_link *l = arg;

	(void)context;
	l->done = true;
	l->status = status;
	l->task = data;
}

static int
ask_once(struct iscsi_link *l, const uint8_t *cdb, size_t cdb_bytes, void *data, size_t len)
{
	uint8_t copy[16];
	struct scsi_task *task;
	int rc;

	memcpy(copy, cdb, cdb_bytes);
	task = scsi_create_task((int)cdb_bytes, copy, SCSI_XFER_READ, (int)len);
	if (task == NULL)
		abort();
	l->done = false;
	l->task = NULL;
	l->wire.words[0] = '\0';
	rc = await(l, iscsi_scsi_command_async(l->context, l->lun, task, answered, NULL, l));
	/* One that was not answered is the library's, until the context goes. */
	if (rc < 0)
		return rc;
	if (l->status == SCSI_STATUS_GOOD) {
		rc = task->datain.size < (int)len ? task->datain.size : (int)len;
		memcpy(data, task->datain.data, (size_t)rc);
	} else {
		rc = iscsi_link_error(l->status, l->task, l->wire.words, sizeof(l->wire.words));
		/* What the library cancels was on a connection that went. */
		if (rc == -ECONNRESET)
			remote_wire_lost(&l->wire);
	}
	scsi_free_scsi_task(task);
	return rc;
}

int
iscsi_link_ask(struct iscsi_link *l, const uint8_t *cdb, size_t cdb_bytes, void *data, size_t len)
{
	int rc = -EAGAIN;

	for (int i = 0; i < ATTENTIONS && rc == -EAGAIN && l->wire.dead == 0; i++)
		rc = ask_once(l, cdb, cdb_bytes, data, len);
	return l->wire.dead != 0 ? l->wire.dead : rc;
}

int
iscsi_link_capacity(struct iscsi_link *l, struct scsi_capacity *out)
{
	static const uint8_t cdb[16] = { 0x9e, 0x10, [13] = 32 };	/* SERVICE ACTION IN, READ CAPACITY (16) */
	uint8_t data[32];
	int n = iscsi_link_ask(l, cdb, sizeof(cdb), data, sizeof(data));

	return n < 0 ? n : scsi_parse_capacity(data, (size_t)n, out);
}

void
iscsi_link_serial(struct iscsi_link *l, char *out, size_t size)
{
	static const uint8_t cdb[6] = { 0x12, 1, 0x80, 0, 252 };	/* INQUIRY, Unit Serial Number */
	uint8_t data[252];
	int n = iscsi_link_ask(l, cdb, sizeof(cdb), data, sizeof(data));

	scsi_parse_serial(data, n < 0 ? 0 : (size_t)n, out, size);
}

static void
put(uint8_t *p, uint64_t value, unsigned bytes)
{
	while (bytes-- > 0) {
		p[bytes] = (uint8_t)value;
		value >>= 8;
	}
}

int
iscsi_link_read(struct iscsi_link *l, uint64_t lba, uint32_t block_bytes, void *buf, size_t len)
{
	size_t piece = READ_BYTES > block_bytes ? READ_BYTES / block_bytes * block_bytes : block_bytes;

	for (size_t done = 0; done < len;) {
		uint8_t cdb[16] = { 0x88 };	/* READ (16) */
		size_t n = len - done < piece ? len - done : piece;
		int rc;

		put(cdb + 2, lba + done / block_bytes, 8);
		put(cdb + 10, n / block_bytes, 4);
		rc = iscsi_link_ask(l, cdb, sizeof(cdb), (char *)buf + done, n);
		if (rc != (int)n)
			return rc < 0 ? rc : -EIO;
		done += n;
	}
	return 0;
}

#endif

/*
 * What operations, errors and servers are called.
 */
#include <stdio.h>
#include <string.h>

#include "probes/wire/iscsi_parse.h"
#include "probes/wire/nfs_parse.h"
#include "probes/wire/wire.h"

const char *
wire_protocol_name(enum wire_protocol protocol)
{
	static const char *const names[WIRE_PROTOCOLS] = { [WIRE_NFS2] = "nfs2", [WIRE_NFS3] = "nfs3", [WIRE_NFS4] = "nfs4",
		[WIRE_NFS40] = "nfs4.0", [WIRE_NFS41] = "nfs4.1", [WIRE_NFS42] = "nfs4.2", [WIRE_ISCSI] = "iscsi" };

	return names[protocol];
}

const char *
wire_op_name(enum wire_protocol protocol, uint8_t op, char out[static WIRE_OP_TEXT])
{
	const char *name;

	if (protocol == WIRE_ISCSI)
		name = scsi_name(op);
	else if (protocol == WIRE_NFS2)
		name = nfs2_name(op);
	else
		name = protocol == WIRE_NFS3 ? nfs3_name(op) : nfs4_name(op);
	if (name != NULL)
		return name;
	snprintf(out, WIRE_OP_TEXT, "0x%02x", op);
	return out;
}

char
wire_op_direction(enum wire_protocol protocol, uint8_t op)
{
	switch (protocol) {
	case WIRE_NFS2:
		return op == 6 ? 'r' : op == 8 ? 'w' : ' ';
	case WIRE_NFS3:
		return op == 6 ? 'r' : op == 7 ? 'w' : ' ';
	case WIRE_ISCSI:
		return scsi_is_read(op) ? 'r' : scsi_is_write(op) ? 'w' : ' ';
	default:
		return op == NFS4_READ || op == NFS4_READ_PLUS ? 'r' : op == NFS4_WRITE ? 'w' : ' ';
	}
}

/* RFC 1813 section 2.6, RFC 8881 section 15.1; versions share their numbers. */
static const struct status_row {
	uint32_t code;
	const char *name;
} statuses[] = {
	{ 1, "PERM" }, { 2, "NOENT" }, { 5, "IO" }, { 6, "NXIO" }, { 13, "ACCES" }, { 17, "EXIST" }, { 18, "XDEV" }, { 19, "NODEV" },
	{ 20, "NOTDIR" }, { 21, "ISDIR" }, { 22, "INVAL" }, { 27, "FBIG" }, { 28, "NOSPC" }, { 30, "ROFS" }, { 31, "MLINK" },
	{ 63, "NAMETOOLONG" }, { 66, "NOTEMPTY" }, { 69, "DQUOT" }, { 70, "STALE" }, { 71, "REMOTE" }, { 10001, "BADHANDLE" },
	{ 10002, "NOT_SYNC" }, { 10003, "BAD_COOKIE" }, { 10004, "NOTSUPP" }, { 10005, "TOOSMALL" }, { 10006, "SERVERFAULT" },
	{ 10007, "BADTYPE" }, { 10008, "DELAY" }, { 10009, "SAME" }, { 10010, "DENIED" }, { 10011, "EXPIRED" }, { 10012, "LOCKED" },
	{ 10013, "GRACE" }, { 10014, "FHEXPIRED" }, { 10015, "SHARE_DENIED" }, { 10016, "WRONGSEC" }, { 10017, "CLID_INUSE" },
	{ 10018, "RESOURCE" }, { 10020, "NOFILEHANDLE" }, { 10022, "STALE_CLIENTID" }, { 10023, "STALE_STATEID" },
	{ 10024, "OLD_STATEID" }, { 10025, "BAD_STATEID" }, { 10026, "BAD_SEQID" }, { 10027, "NOT_SAME" }, { 10033, "NO_GRACE" },
	{ 10044, "OP_ILLEGAL" }, { 10052, "BADSESSION" }, { 10053, "BADSLOT" }, { 10055, "CONN_NOT_BOUND_TO_SESSION" },
	{ 10063, "SEQ_MISORDERED" }, { 10078, "DEADSESSION" },
};

static void
scsi_error(uint32_t code, char out[static WIRE_ERROR_TEXT])
{
	const char *status = scsi_status_name((uint8_t)(code >> 8)), *sense = scsi_sense_name((int)(code & 0xff));

	if (code >= 0x10000)
		snprintf(out, WIRE_ERROR_TEXT, "RESPONSE_%u", code & 0xff);
	else if (status == NULL)
		snprintf(out, WIRE_ERROR_TEXT, "STATUS_0x%02x", code >> 8);
	else
		snprintf(out, WIRE_ERROR_TEXT, "%s%s%s", status, sense != NULL ? "/" : "", sense != NULL ? sense : "");
}

void
wire_error_text(enum wire_protocol protocol, uint32_t code, char out[static WIRE_ERROR_TEXT])
{
	static const char *const accepts[] = { NULL, "PROG_UNAVAIL", "PROG_MISMATCH", "PROC_UNAVAIL", "GARBAGE_ARGS", "SYSTEM_ERR" };

	if (protocol == WIRE_ISCSI) {
		scsi_error(code, out);
		return;
	}
	if (code >= UINT32_C(0x80000000)) {
		code &= 0x1ff;
		snprintf(out, WIRE_ERROR_TEXT, "RPC_%s", code == 0x100 ? "DENIED" :
		    code < sizeof(accepts) / sizeof(accepts[0]) && accepts[code] != NULL ? accepts[code] : "ERROR");
		return;
	}
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
		if (statuses[i].code == code) {
			snprintf(out, WIRE_ERROR_TEXT, "%s", statuses[i].name);
			return;
		}
	snprintf(out, WIRE_ERROR_TEXT, "%u", code);
}

void
wire_server_text(const struct wire_flow *f, char out[static WIRE_SERVER_TEXT])
{
	uint16_t usual = f->protocol == WIRE_ISCSI ? 3260 : 2049;
	char addr[WIRE_ADDR_TEXT];

	wire_addr_text(&f->server, addr);
	if (f->server_port == usual)
		snprintf(out, WIRE_SERVER_TEXT, "%s", addr);
	else
		snprintf(out, WIRE_SERVER_TEXT, strchr(addr, ':') != NULL ? "[%s]:%u" : "%s:%u", addr, f->server_port);
}

/*
 * Version 4. The arguments of a compound's operations lie back to back without lengths, so each one before the one wanted
 * must be understood to get over it. A small language says how they are laid out:
 *
 *   w 4 bytes   d 8 bytes   s 16 bytes (stateid, sessionid, deviceid)   t 12 bytes (time)   o opaque or string   b bitmap
 *   ?x  a boolean, and x where it is true
 */
#include "probes/wire/nfs_parse.h"

#include <stdio.h>

#define UNKNOWN NULL
#define BITMAP_WORDS_MAX 16
#define SEGMENTS_MAX 64
#define BULK_BYTES 512	/* data longer than this ends the walk: what lies behind it is not at hand in a capture of headers */

/* Arguments; what stands here as UNKNOWN ends the walk, or is a union with a function of its own below. */
static const char *const arguments[NFS4_OP_LAST + 1] = {
	[3] = "w", [4] = "ws", [5] = "dw", [7] = "d", [8] = "s", [9] = "b", [10] = "", [11] = "o", [14] = "wwsdd", [15] = "o",
	[16] = "", [17] = "bo", [19] = "w", [20] = "sw", [21] = "swww", [22] = "o", [23] = "", [24] = "", [25] = "sdw",
	[26] = "ddwwb", [27] = "", [28] = "o", [29] = "oo", [30] = "d", [31] = "", [32] = "", [33] = "o", [34] = "sbo",
	[35] = "dowoow", [36] = "dd", [37] = "bo", [38] = "sdwo", [39] = "do", [41] = "sww", [44] = "s", [45] = "s",
	[47] = "swwb", [48] = "wwdd", [49] = "ddws?d?two", [50] = "wwwdddsw", [52] = "w", [53] = "swwww", [54] = "oo",
	[57] = "d", [58] = "w", [59] = "sdd", [62] = "sdd", [63] = "sddb", [66] = "s", [67] = "s", [68] = "sdw", [69] = "sdw",
	[71] = "ssddd", [72] = "o", [73] = "woo", [74] = "dw", [75] = "o",
};

/* Results behind a status of 0. */
static const char *const results[NFS4_OP_LAST + 1] = {
	[3] = "ww", [4] = "s", [5] = "d", [6] = "wddb", [7] = "", [8] = "", [9] = "bo", [10] = "o", [11] = "wdd", [12] = "s", [13] = "",
	[14] = "s", [15] = "", [16] = "", [17] = "", [19] = "", [20] = "s", [21] = "s", [22] = "", [23] = "", [24] = "", [27] = "o",
	[28] = "wdd", [29] = "wddwdd", [30] = "", [31] = "", [32] = "", [34] = "b", [35] = "dd", [36] = "", [37] = "", [38] = "wwd",
	[39] = "", [41] = "sww", [44] = "", [45] = "", [53] = "swwwww", [57] = "", [58] = "", [59] = "", [62] = "", [63] = "b",
	[66] = "", [69] = "wd", [71] = "", [72] = "o", [73] = "wdd", [75] = "wdd",
};

static void
skip_bitmap(struct wire_bytes *b)
{
	uint32_t words = wire_get32(b);

	if (wire_ok(b) && words > BITMAP_WORDS_MAX)
		b->bad = true;
	wire_skip(b, UINT64_C(4) * words);
}

static void
skip_layout(struct wire_bytes *b, const char *layout)
{
	const uint8_t *data;

	for (; *layout != '\0' && wire_ok(b); layout++) {
		if (*layout == '?') {
			layout++;
			if (wire_get32(b) == 0)
				continue;
		}
		switch (*layout) {
		case 'w': wire_skip(b, 4); break;
		case 'd': wire_skip(b, 8); break;
		case 't': wire_skip(b, 12); break;
		case 's': wire_skip(b, 16); break;
		case 'o': wire_opaque(b, &data); break;
		case 'b': skip_bitmap(b); break;
		default: break;
		}
	}
}

/* RFC 7530 section 16.16, RFC 8881 section 18.16: how it is to be opened, and by what claim. */
static void
skip_open(struct wire_bytes *b)
{
	static const char *const create[] = { "bo", "bo", "d", "dbo" };
	static const char *const claims[] = { "o", "w", "so", "o", "", "s", "" };
	uint32_t mode, claim;

	skip_layout(b, "wwwdo");
	if (wire_get32(b) == 1) {
		mode = wire_get32(b);
		if (mode > 3)
			b->bad = true;
		else
			skip_layout(b, create[mode]);
	}
	claim = wire_get32(b);
	if (claim > 6)
		b->bad = true;
	else
		skip_layout(b, claims[claim]);
}

/* RFC 7530 section 16.4: the type may bring a link's text or a device's numbers. */
static void
skip_create(struct wire_bytes *b)
{
	uint32_t type = wire_get32(b);

	if (type == 5)
		skip_layout(b, "o");
	else if (type == 3 || type == 4)
		skip_layout(b, "d");
	skip_layout(b, "obo");
}

/* False: how long it is, is not known. */
static bool
skip_arguments(struct wire_bytes *b, uint32_t op)
{
	uint32_t n;

	switch (op) {
	case NFS4_OPEN:
		skip_open(b);
		return true;
	case NFS4_CREATE:
		skip_create(b);
		return true;
	case NFS4_LOCK:
		skip_layout(b, "wwdd");
		skip_layout(b, wire_get32(b) != 0 ? "wswdo" : "sw");
		return true;
	case 13:	/* LOCKT */
		skip_layout(b, "wdddo");
		return true;
	case NFS4_LAYOUTRETURN:
		skip_layout(b, "www");
		if (wire_get32(b) == 1)
			skip_layout(b, "ddso");
		return true;
	case NFS4_TEST_STATEID:
		n = wire_get32(b);
		wire_skip(b, UINT64_C(16) * n);
		return true;
	default:
		if (op > NFS4_OP_LAST || arguments[op] == UNKNOWN)
			return false;
		skip_layout(b, arguments[op]);
		return true;
	}
}

/* A component goes on the end of the path, if it fits and is a name that can be printed. */
static void
follow(struct nfs4_call *out, const uint8_t *name, uint32_t len)
{
	size_t at = strlen(out->path);

	if (name == NULL || len == 0 || at + len + 2 > sizeof(out->path) || memchr(name, '\0', len) != NULL ||
	    memchr(name, '/', len) != NULL)
		return;
	out->path[at] = '/';
	memcpy(out->path + at + 1, name, len);
	out->path[at + 1 + len] = '\0';
}

static void
add_bytes(uint32_t *sum, uint32_t n)
{
	*sum = n < NFS_UNKNOWN - 1 - *sum ? *sum + n : NFS_UNKNOWN - 1;
}

/* The operations we read more of than their length. */
static bool
parse_argument(struct wire_bytes *b, uint32_t op, struct nfs4_call *out)
{
	const uint8_t *data;
	uint32_t len;

	switch (op) {
	case NFS4_PUTFH:
		len = wire_opaque(b, &data);
		if (wire_ok(b) && len > NFS_FH_MAX)
			b->bad = true;
		if (wire_ok(b) && data != NULL && out->fh.p == NULL)
			out->fh = (struct nfs_handle){ data, len };
		return true;
	case NFS4_PUTROOTFH:
		if (out->fh.p == NULL)
			out->root = true;
		return true;
	case NFS4_LOOKUP:
		len = wire_opaque(b, &data);
		if (wire_ok(b) && !out->getfh)
			follow(out, data, len);
		return true;
	case NFS4_GETFH:
		out->getfh = true;
		return true;
	case NFS4_READ:
	case NFS4_READ_PLUS:
		wire_skip(b, 24);
		add_bytes(&out->read_bytes, wire_get32(b));
		return true;
	case NFS4_WRITE:
		wire_skip(b, 28);
		len = wire_opaque(b, &data);
		add_bytes(&out->write_bytes, len);
		return len <= BULK_BYTES;
	default:
		return skip_arguments(b, op);
	}
}

bool
nfs4_call(struct wire_bytes *b, struct nfs4_call *out)
{
	const uint8_t *tag;

	*out = (struct nfs4_call){ .minor = NFS_UNKNOWN };
	wire_opaque(b, &tag);
	out->minor = wire_get32(b);
	out->n_ops = wire_get32(b);
	if (wire_ok(b) && (out->minor > 2 || out->n_ops > NFS4_COMPOUND_MAX))
		b->bad = true;
	if (!wire_ok(b))
		return false;
	for (uint32_t i = 0; i < out->n_ops && wire_ok(b); i++) {
		uint32_t op = wire_get32(b);

		if (!wire_ok(b))
			break;
		if (out->known < NFS4_OPS_MAX)
			out->ops[out->known++] = op >= 3 && op <= NFS4_OP_LAST ? (uint8_t)op : NFS4_ILLEGAL;
		if (!parse_argument(b, op, out))
			break;
	}
	return true;
}

/* RFC 7862 section 15.10: data and holes; what was sent is the data. */
static uint32_t
read_plus_bytes(struct wire_bytes *b)
{
	uint32_t segments, sum = 0;
	const uint8_t *data;

	wire_skip(b, 4);
	segments = wire_get32(b);
	if (wire_ok(b) && segments > SEGMENTS_MAX)
		b->bad = true;
	for (uint32_t i = 0; i < segments && wire_ok(b); i++) {
		if (wire_get32(b) == 0) {
			wire_skip(b, 8);
			add_bytes(&sum, wire_opaque(b, &data));
		} else {
			wire_skip(b, 16);
		}
	}
	return sum;
}

/* RFC 7530 section 16.16.2: stateid, change, flags, attributes, delegation. */
static void
skip_open_result(struct wire_bytes *b)
{
	uint32_t type;

	skip_layout(b, "swddwb");
	type = wire_get32(b);
	if (type == 1) {
		skip_layout(b, "swwwwo");
	} else if (type == 2) {
		skip_layout(b, "sw");
		skip_layout(b, wire_get32(b) == 1 ? "d" : "ww");
		skip_layout(b, "wwwo");
	} else if (type == 3) {
		uint32_t why = wire_get32(b);

		if (why == 1 || why == 2)
			wire_skip(b, 4);
	}
}

/* One result with a status of 0. False: its length is not known. */
static bool
parse_result(struct wire_bytes *b, uint32_t op, struct nfs4_reply *out)
{
	const uint8_t *data;
	uint32_t n;

	switch (op) {
	case NFS4_READ:
		wire_skip(b, 4);
		/* The count is enough; the data may end behind the cut. */
		n = wire_get32(b);
		if (wire_ok(b))
			add_bytes(&out->read_bytes, n);
		wire_skip(b, ((uint64_t)n + 3) & ~UINT64_C(3));
		return true;
	case NFS4_READ_PLUS:
		n = read_plus_bytes(b);
		if (wire_ok(b))
			add_bytes(&out->read_bytes, n);
		return true;
	case NFS4_GETFH:
		n = wire_opaque(b, &data);
		if (wire_ok(b) && data != NULL && n <= NFS_FH_MAX && out->fh.p == NULL)
			out->fh = (struct nfs_handle){ data, n };
		return true;
	case NFS4_OPEN:
		skip_open_result(b);
		return true;
	default:
		if (op > NFS4_OP_LAST || results[op] == UNKNOWN)
			return false;
		skip_layout(b, results[op]);
		return true;
	}
}

bool
nfs4_reply(struct wire_bytes *b, struct nfs4_reply *out)
{
	const uint8_t *tag;

	*out = (struct nfs4_reply){ .read_bytes = 0 };
	out->status = wire_get32(b);
	wire_opaque(b, &tag);
	out->n_ops = wire_get32(b);
	if (wire_ok(b) && out->n_ops > NFS4_COMPOUND_MAX)
		b->bad = true;
	if (!wire_ok(b))
		return false;
	for (uint32_t i = 0; i < out->n_ops && wire_ok(b); i++) {
		uint32_t op = wire_get32(b), status = wire_get32(b);

		/* The first that fails is the last. */
		if (!wire_ok(b) || status != 0 || !parse_result(b, op, out))
			break;
	}
	return true;
}

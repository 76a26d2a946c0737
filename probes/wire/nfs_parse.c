/*
 * Versions 2 and 3, MOUNT and portmap.
 */
#include "probes/wire/nfs_parse.h"

#include <stdlib.h>

#define NFS2_FH 32
#define NFS2_ATTR 68	/* RFC 1094 section 2.3.5 */
#define NFS3_ATTR 84	/* RFC 1813 section 2.6 */

#define NFS2_READ 6
#define NFS2_WRITE 8
#define NFS3_READ 6
#define NFS3_WRITE 7

/* Procedures without a handle: NULL, and ROOT and WRITECACHE of version 2. */
static bool
has_handle(uint32_t proc, uint32_t vers)
{
	return proc != 0 && !(vers == 2 && (proc == 3 || proc == 7));
}

void
nfs2_call(struct wire_bytes *b, uint32_t proc, struct nfs_call *out)
{
	const uint8_t *data;

	*out = (struct nfs_call){ .count = proc == NFS2_READ || proc == NFS2_WRITE ? NFS_UNKNOWN : 0 };
	if (!has_handle(proc, 2) || !wire_has(b, NFS2_FH))
		return;
	out->fh = (struct nfs_handle){ b->p, NFS2_FH };
	wire_skip(b, NFS2_FH);
	if (proc == NFS2_READ) {
		wire_skip(b, 4);
		out->count = wire_get32(b);
	} else if (proc == NFS2_WRITE) {
		wire_skip(b, 12);
		out->count = wire_opaque(b, &data);
	}
	if (!wire_ok(b) && out->count != 0)
		out->count = NFS_UNKNOWN;
}

void
nfs2_reply(struct wire_bytes *b, uint32_t proc, struct nfs_reply *out)
{
	const uint8_t *data;

	*out = (struct nfs_reply){ .status = NFS_UNKNOWN, .count = NFS_UNKNOWN };
	if (!has_handle(proc, 2)) {
		out->status = 0;
		return;
	}
	out->status = wire_get32(b);
	if (!wire_ok(b)) {
		out->status = NFS_UNKNOWN;
		return;
	}
	if (proc != NFS2_READ || out->status != 0)
		return;
	wire_skip(b, NFS2_ATTR);
	out->count = wire_opaque(b, &data);
	if (!wire_ok(b))
		out->count = NFS_UNKNOWN;
}

static void
get_handle(struct wire_bytes *b, uint32_t most, struct nfs_handle *out)
{
	const uint8_t *data;
	uint32_t len = wire_opaque(b, &data);

	if (wire_ok(b) && len > most)
		b->bad = true;
	if (wire_ok(b) && data != NULL)
		*out = (struct nfs_handle){ data, len };
}

void
nfs3_call(struct wire_bytes *b, uint32_t proc, struct nfs_call *out)
{
	*out = (struct nfs_call){ .count = proc == NFS3_READ || proc == NFS3_WRITE ? NFS_UNKNOWN : 0 };
	if (!has_handle(proc, 3))
		return;
	get_handle(b, 64, &out->fh);
	if (out->count == 0)
		return;
	wire_skip(b, 8);
	out->count = wire_get32(b);
	if (!wire_ok(b))
		out->count = NFS_UNKNOWN;
}

void
nfs3_reply(struct wire_bytes *b, uint32_t proc, struct nfs_reply *out)
{
	*out = (struct nfs_reply){ .status = NFS_UNKNOWN, .count = NFS_UNKNOWN };
	if (!has_handle(proc, 3)) {
		out->status = 0;
		return;
	}
	out->status = wire_get32(b);
	if (!wire_ok(b)) {
		out->status = NFS_UNKNOWN;
		return;
	}
	if (proc != NFS3_READ || out->status != 0)
		return;
	if (wire_get32(b) != 0)
		wire_skip(b, NFS3_ATTR);
	out->count = wire_get32(b);
	if (!wire_ok(b))
		out->count = NFS_UNKNOWN;
}

#define MOUNT_PATH_MAX 1024	/* RFC 1813 section 5.1.3 */

bool
mount_call(struct wire_bytes *b, const uint8_t **path, uint32_t *len)
{
	*len = wire_opaque(b, path);
	return wire_ok(b) && *path != NULL && *len > 0 && *len <= MOUNT_PATH_MAX;
}

bool
mount_reply(struct wire_bytes *b, uint32_t vers, struct nfs_handle *out)
{
	*out = (struct nfs_handle){ .p = NULL };
	if (wire_get32(b) != 0)
		return false;
	if (vers < 3) {
		if (!wire_has(b, NFS2_FH))
			return false;
		*out = (struct nfs_handle){ b->p, NFS2_FH };
		return true;
	}
	get_handle(b, 64, out);
	return out->p != NULL && out->len > 0;
}

uint32_t
portmap_call(struct wire_bytes *b)
{
	uint32_t prog = wire_get32(b);

	return wire_ok(b) ? prog : 0;
}

/* The port is the two last numbers of a universal address, "10.9.0.1.8.1" (RFC 5665 section 5.2.3.3). */
static uint32_t
universal_port(const char *text)
{
	uint32_t last[2] = { 0, 0 };

	for (const char *p = text; p != NULL && *p != '\0'; p = strchr(p, '.')) {
		if (*p == '.')
			p++;
		last[0] = last[1];
		last[1] = (uint32_t)strtoul(p, NULL, 10);
	}
	return last[0] < 256 && last[1] < 256 ? last[0] << 8 | last[1] : 0;
}

uint32_t
portmap_reply(struct wire_bytes *b, uint32_t vers)
{
	const uint8_t *data;
	uint32_t port, len;
	char text[64];

	if (vers == 2) {
		port = wire_get32(b);
		return wire_ok(b) && port < 65536 ? port : 0;
	}
	len = wire_opaque(b, &data);
	if (!wire_ok(b) || data == NULL || len == 0 || len >= sizeof(text))
		return 0;
	memcpy(text, data, len);
	text[len] = '\0';
	return universal_port(text);
}

/*
 * Names of exports: from MOUNT for versions 2 and 3, from the names looked up below the root for version 4. All handles of a file
 * system share a part of their bytes, which is what names it; the common servers' layouts are known.
 */
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "probes/wire/decoder.h"

#define ID_BIT (UINT64_C(1) << 63)	/* set: a handle; clear: a file system */

static uint64_t
hash_bytes(uint64_t seed, const uint8_t *p, size_t n)
{
	uint64_t h = wire_mix(seed, n), word;

	for (; n >= sizeof(word); p += sizeof(word), n -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		h = wire_mix(h, word);
	}
	for (; n > 0; n--)
		h = wire_mix(h, *p++);
	return h;
}

/* Linux' nfsd: version 1, kind of authentication, kind of file system id, kind of file id; then the file system id. */
static uint32_t
knfsd_id_bytes(const struct nfs_handle *fh)
{
	static const uint8_t bytes[] = { 8, 4, 12, 8, 8, 8, 16, 24 };	/* fs/nfsd/nfsfh.h, enum fsid_source */

	if (fh->len < 8 || fh->p[0] != 1 || fh->p[1] != 0 || fh->p[2] >= sizeof(bytes))
		return 0;
	return fh->len >= 4u + bytes[fh->p[2]] ? bytes[fh->p[2]] : 0;
}

/* Ganesha: 'C', flags, export number (FSAL/fsal_convert.h, struct file_handle_v3). */
static bool
is_ganesha(const struct nfs_handle *fh)
{
	return fh->len >= 5 && fh->p[0] == 'C';
}

uint64_t
wire_export_id(const struct nfs_handle *fh)
{
	uint32_t n;
	uint64_t h;

	if (fh->p == NULL)
		return 0;
	n = knfsd_id_bytes(fh);
	if (n > 0)
		h = hash_bytes(fh->p[2] + 1u, fh->p + 4, n);
	else if (is_ganesha(fh))
		h = hash_bytes('C', fh->p + 2, 2);
	else
		return 0;
	h &= ~ID_BIT;
	return h != 0 ? h : 1;
}

uint64_t
wire_handle_key(const struct nfs_handle *fh)
{
	return fh->p != NULL ? hash_bytes(0, fh->p, fh->len) | ID_BIT : 0;
}

static struct wire_export *
find(const struct wire_decoder *d, const struct wire_addr *server, uint64_t key)
{
	struct wire_export *e;

	for (uint32_t i = wire_table_first(&d->exports, (uint32_t)key); i != 0; i = e->link.next) {
		e = wire_table_at(&d->exports, i);
		if (e->key == key && e->server.w[0] == server->w[0] && e->server.w[1] == server->w[1])
			return e;
	}
	return NULL;
}

const char *
wire_export_find(const struct wire_decoder *d, const struct wire_addr *server, uint64_t key)
{
	const struct wire_export *e = key != 0 ? find(d, server, key) : NULL;

	return e != NULL ? e->path : NULL;
}

void
wire_export_name(struct wire_decoder *d, const struct wire_addr *server, uint64_t key, const char *path)
{
	struct wire_export *e;
	uint32_t entry;

	if (key == 0 || path == NULL)
		return;
	e = find(d, server, key);
	if (e == NULL) {
		entry = wire_table_take(&d->exports, (uint32_t)key);
		if (entry == 0)
			return;
		e = wire_table_at(&d->exports, entry);
		e->key = key;
		e->server = *server;
	}
	e->path = path;
}

const char *
wire_name_keep(struct wire_decoder *d, const char *text, size_t len)
{
	uint32_t hash, entry;
	struct wire_name *n;

	len = strnlen(text, len);
	hash = (uint32_t)hash_bytes(1, (const uint8_t *)text, len);
	for (entry = wire_table_first(&d->names, hash); entry != 0; entry = n->link.next) {
		n = wire_table_at(&d->names, entry);
		if (n->link.hash == hash && strncmp(n->text, text, len) == 0 && n->text[len] == '\0')
			return n->text;
	}
	entry = wire_table_take(&d->names, hash);
	if (entry == 0)
		return NULL;
	n = wire_table_at(&d->names, entry);
	n->text = xstrndup(text, len);
	return n->text;
}

void
wire_names_free(struct wire_decoder *d)
{
	for (uint32_t i = 1; i <= d->names.used; i++)
		free(((struct wire_name *)wire_table_at(&d->names, i))->text);
}

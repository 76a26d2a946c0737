/*
 * Targets on a server, named by the URLs of libnfs and libiscsi. A URL may hold a password: what is shown or stored is
 * remote_shown() of it, nothing else.
 */
#ifndef LOAD_REMOTE_H
#define LOAD_REMOTE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum remote_kind { REMOTE_NONE, REMOTE_NFS, REMOTE_ISCSI };
extern const char *const remote_name[];	/* "nfs", "iscsi": the kind in results, and the engine */

/* By the scheme. Pure. */
enum remote_kind remote_kind(const char *name);
/* The URL without user and password, and without arguments that hold one; other text as it is. Printable. Pure. */
void remote_shown(const char *url, char *out, size_t size);
/* Was this program built with the library? false with the reason. */
bool remote_built_in(enum remote_kind, char *why, size_t size);

/* Nobody is waited for longer, while a target is looked at. */
#define REMOTE_LIMIT_NS UINT64_C(5000000000)

/*
 * What workers connect to, and how they know it again. Made while the target is opened, then read-only; counted by references,
 * since a worker that a dead server holds outlives the target.
 */
struct remote {
	atomic_uint refs;
	enum remote_kind kind;
	char *url;		/* as given */
	bool here;		/* the server has an address of this host */
	/* NFS: the file, below what the URL mounts, and its number; version 3 or 4. */
	char *directory;	/* URL of the directory that is mounted, arguments and all */
	char *file;
	uint64_t ino;
	int version;
	/* iSCSI. */
	uint32_t block_bytes;
	uint64_t blocks;
	char serial[80];
};

struct remote *remote_new(enum remote_kind, const char *url);
const struct remote *remote_ref(const struct remote *);	/* NULL is fine */
void remote_unref(const struct remote *);		/* NULL is fine */

#endif

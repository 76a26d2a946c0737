/*
 * A connection to an NFS server through libnfs, which is asked one thing at a time and waited for: no longer than a limit,
 * after which the link is of no use any more. One thread at a time. Only where HAVE_LIBNFS.
 */
#ifndef LOAD_NFS_LINK_H
#define LOAD_NFS_LINK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct nfs_context;
struct nfsfh;
struct nfs_link;
struct remote_wire;

/*
 * Mounts the directory of a URL. version 0: as the URL says, else 3 or 4. 0 or -errno with the reason in why: -EINVAL where the
 * URL is wrong, -ETIMEDOUT where nobody answers.
 */
int nfs_link_open(struct nfs_link **, const char *url, int version, uint64_t limit_ns, char *why, size_t size);
void nfs_link_close(struct nfs_link *);	/* NULL is fine */
/* Waits that long for each answer from here on. */
void nfs_link_limit(struct nfs_link *, uint64_t limit_ns);
/* For who drives the library himself. */
struct nfs_context *nfs_link_context(struct nfs_link *);
struct remote_wire *nfs_link_wire(struct nfs_link *);
/* Why the last call failed with rc (-errno): what the server, or the library, said of it, else the error's own text. */
const char *nfs_link_words(const struct nfs_link *, int rc);
/* Over which version files of a server are written: where the library cannot over 4, over 3 from the same server. */
int nfs_link_writing_version(int version);

/* Version of the URL, 3 where it names none. -EINVAL with why: neither 3 nor 4, or arguments that make no sense here. Pure. */
int nfs_url_version(const char *url, char *why, size_t size);
/* Cuts the last component: *directory is a URL again, *file its name. To be freed. -EINVAL: there is none. Pure. */
int nfs_url_split(const char *url, char **directory, char **file);
/* The URL of a file in a directory: undoes the above. To be freed. Pure. */
char *nfs_url_join(const char *directory, const char *file);

/* Paths are below what was mounted, "/" that itself. 0 (or bytes) or -errno. */
int nfs_link_stat(struct nfs_link *, const char *path, struct stat *);	/* as lstat() */
int nfs_link_fstat(struct nfs_link *, struct nfsfh *, struct stat *);
int nfs_link_open_file(struct nfs_link *, const char *path, int flags, struct nfsfh **);
int nfs_link_create(struct nfs_link *, const char *path, struct nfsfh **);	/* new, for reading and writing; -EEXIST */
int nfs_link_close_file(struct nfs_link *, struct nfsfh *);
/* Where the connection is lost and nothing is under way with the file: its memory goes, at nfs_link_close() at the latest. */
void nfs_link_drop_file(struct nfs_link *, struct nfsfh *);
/* Whole, or -errno (-ENODATA: the file ends before). */
int nfs_link_read(struct nfs_link *, struct nfsfh *, uint64_t at, void *buf, size_t len);
int nfs_link_write(struct nfs_link *, struct nfsfh *, uint64_t at, const void *buf, size_t len);
int nfs_link_sync(struct nfs_link *, struct nfsfh *);
int nfs_link_truncate(struct nfs_link *, struct nfsfh *, uint64_t bytes);
int nfs_link_unlink(struct nfs_link *, const char *path);
/* Sets times of access and change. */
int nfs_link_times(struct nfs_link *, const char *path, int64_t ns);
/* Bytes in all, and free for us. */
int nfs_link_space(struct nfs_link *, uint64_t *all, uint64_t *available);
/* Names in a directory, one call each. */
int nfs_link_list(struct nfs_link *, const char *path, void (*each)(void *arg, const char *name), void *arg);

#endif

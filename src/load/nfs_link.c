#include "config.h"
#ifdef HAVE_LIBNFS

#include "load/nfs_link.h"

#include <errno.h>
#include <fcntl.h>
#include <nfsc/libnfs.h>
#include <nfsc/libnfs-raw.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/xalloc.h"
#include "load/remote_wire.h"

#define NFS_NAME_MAX 64
#define FIRST_THAT_WRITES_V4 50000	/* before version 5 a write of 4 KiB over NFSv4 is more than libnfs can encode */

struct nfs_link {
	struct nfs_context *context;
	struct remote_wire wire;
	uint64_t limit_ns;
	/* Of the call that is waited for. */
	bool done;
	int status;
	void *out;
	size_t room;
	void (*take)(struct nfs_link *, void *data);	/* what the answer brought; NULL: nothing */
};

static struct pollfd
wire_poll(void *context)
{
	return (struct pollfd){ .fd = nfs_get_fd(context), .events = (short)nfs_which_events(context) };
}

static int
wire_service(void *context, int revents)
{
	return nfs_service(context, revents);
}

static const char *
wire_error(void *context)
{
	return nfs_get_error(context);
}

/* What was sent would wait for ever: nobody connects again. */
static void
wire_cancel(void *context)
{
	rpc_disconnect(nfs_get_rpc_context(context), "the connection is lost");
}

static const struct remote_wire_ops wire_ops = {
	.peer = "server",
	.poll = wire_poll,
	.service = wire_service,
	.error = wire_error,
	.cancel = wire_cancel,
};

static void
answered(int status, struct nfs_context *context, void *data, void *arg)
{
	struct nfs_link *l = arg;

	l->done = true;
	l->status = status;
	/* The data are not always a text then. */
	if (status < 0)
		remote_wire_words(&l->wire, nfs_get_error(context));
	else if (l->take != NULL)
		l->take(l, data);
}

/* 0, or -errno of a connection on which nothing can be asked any more. */
static int
begin(struct nfs_link *l, void (*take)(struct nfs_link *, void *), void *out, size_t room)
{
	if (l->wire.dead != 0)
		return l->wire.dead;
	l->done = false;
	l->take = take;
	l->out = out;
	l->room = room;
	l->wire.words[0] = '\0';
	return 0;
}

/* The call was handed to the library with this result. */
static int
await(struct nfs_link *l, int queued)
{
	int rc = remote_wire_await(&l->wire, queued, &l->done, l->limit_ns);

	return rc < 0 ? rc : l->status;
}

/* ---- connecting ---- */

/* To a server clients of the same name are one, and the younger ends the older's state. */
static void
name_client(struct nfs_context *context)
{
	static atomic_uint number;
	char name[NFS_NAME_MAX], host[32] = "";

	gethostname(host, sizeof(host) - 1);
	snprintf(name, sizeof(name), "stortop %s %d %u", host, (int)getpid(), atomic_fetch_add(&number, 1));
	nfs4_set_client_name(context, name);
}

static int
mount_url(struct nfs_link *l, const char *url, int version, char *why, size_t size)
{
	struct nfs_url *parsed = nfs_parse_url_dir(l->context, url);
	int rc;

	if (parsed == NULL) {
		snprintf(why, size, "an NFS URL is nfs://server/export[/dir][?argument=value&...]");
		return -EINVAL;
	}
	nfs_set_autoreconnect(l->context, 0);
	nfs_set_dircache(l->context, 0);
	nfs_set_version(l->context, version);
	/* The library does not free what it is told here, so it is told no more than it must. */
	if (version == 4)
		name_client(l->context);
	begin(l, NULL, NULL, 0);
	rc = await(l, nfs_mount_async(l->context, parsed->server, parsed->path, answered, l));
	if (rc < 0)
		snprintf(why, size, "mount of %s on %s over NFSv%d: %s%s", parsed->path, parsed->server, version,
		    nfs_link_words(l, rc), rc == -EACCES || rc == -ENOENT ? ": no such export there, or not for this host" : "");
	nfs_destroy_url(parsed);
	return rc < 0 ? rc : 0;
}

int
nfs_link_open(struct nfs_link **out, const char *url, int version, uint64_t limit_ns, char *why, size_t size)
{
	struct nfs_link *l;
	int rc = nfs_url_version(url, why, size);

	if (rc < 0)
		return rc;
	l = xcalloc(1, sizeof(*l));
	l->limit_ns = limit_ns;
	l->context = nfs_init_context();
	if (l->context == NULL)
		abort();
	l->wire = (struct remote_wire){ .ops = &wire_ops, .context = l->context };
	rc = mount_url(l, url, version != 0 ? version : rc, why, size);
	if (rc == 0) {
		*out = l;
		return 0;
	}
	nfs_link_close(l);
	return rc;
}

void
nfs_link_close(struct nfs_link *l)
{
	if (l == NULL)
		return;
	/* Calls that nobody waits for any more are answered by this. */
	nfs_destroy_context(l->context);
	free(l);
}

void
nfs_link_limit(struct nfs_link *l, uint64_t limit_ns)
{
	l->limit_ns = limit_ns;
}

struct nfs_context *
nfs_link_context(struct nfs_link *l)
{
	return l->context;
}

struct remote_wire *
nfs_link_wire(struct nfs_link *l)
{
	return &l->wire;
}

const char *
nfs_link_words(const struct nfs_link *l, int rc)
{
	return remote_wire_why(&l->wire, rc);
}

int
nfs_link_writing_version(int version)
{
	return version == 4 && HAVE_LIBNFS < FIRST_THAT_WRITES_V4 ? 3 : version;
}

/* ---- what is asked ---- */

static void
take_stat(struct nfs_link *l, void *data)
{
	const struct nfs_stat_64 *from = data;
	struct stat *to = l->out;

	*to = (struct stat){ .st_dev = from->nfs_dev, .st_ino = from->nfs_ino, .st_mode = (mode_t)from->nfs_mode,
		.st_nlink = from->nfs_nlink, .st_size = (off_t)from->nfs_size, .st_blocks = (blkcnt_t)((from->nfs_used + 511) / 512),
		.st_mtim = { .tv_sec = (time_t)from->nfs_mtime, .tv_nsec = (long)from->nfs_mtime_nsec } };
}

static void
take_handle(struct nfs_link *l, void *data)
{
	*(struct nfsfh **)l->out = data;
}

static void
take_bytes(struct nfs_link *l, void *data)
{
	if (l->status > 0)
		memcpy(l->out, data, (size_t)l->status < l->room ? (size_t)l->status : l->room);
}

int
nfs_link_stat(struct nfs_link *l, const char *path, struct stat *out)
{
	int rc = begin(l, take_stat, out, sizeof(*out));

	return rc < 0 ? rc : await(l, nfs_lstat64_async(l->context, path, answered, l));
}

int
nfs_link_fstat(struct nfs_link *l, struct nfsfh *fh, struct stat *out)
{
	int rc = begin(l, take_stat, out, sizeof(*out));

	return rc < 0 ? rc : await(l, nfs_fstat64_async(l->context, fh, answered, l));
}

int
nfs_link_open_file(struct nfs_link *l, const char *path, int flags, struct nfsfh **out)
{
	int rc = begin(l, take_handle, out, sizeof(*out));

	return rc < 0 ? rc : await(l, nfs_open_async(l->context, path, flags, answered, l));
}

int
nfs_link_create(struct nfs_link *l, const char *path, struct nfsfh **out)
{
	int rc = begin(l, take_handle, out, sizeof(*out));

	return rc < 0 ? rc : await(l, nfs_create_async(l->context, path, O_RDWR | O_CREAT | O_EXCL, 0600, answered, l));
}

int
nfs_link_close_file(struct nfs_link *l, struct nfsfh *fh)
{
	int rc = begin(l, NULL, NULL, 0);

	return rc < 0 ? rc : await(l, nfs_close_async(l->context, fh, answered, l));
}

/* Nobody is asked: what it has to tell the server is cancelled with the context. */
void
nfs_link_drop_file(struct nfs_link *l, struct nfsfh *fh)
{
	l->take = NULL;
	nfs_close_async(l->context, fh, answered, l);
}

/* From version 6 on the library fills the buffer itself, and has the arguments the other way round. */
int
nfs_link_read(struct nfs_link *l, struct nfsfh *fh, uint64_t at, void *buf, size_t len)
{
	for (size_t done = 0; done < len;) {
		char *to = (char *)buf + done;
		int n;

#ifdef LIBNFS_API_V2
		n = begin(l, NULL, NULL, 0);
		if (n == 0)
			n = await(l, nfs_pread_async(l->context, fh, to, len - done, at + done, answered, l));
#else
		n = begin(l, take_bytes, to, len - done);
		if (n == 0)
			n = await(l, nfs_pread_async(l->context, fh, at + done, len - done, answered, l));
#endif
		if (n <= 0)
			return n < 0 ? n : -ENODATA;
		done += (size_t)n;
	}
	return 0;
}

int
nfs_link_write(struct nfs_link *l, struct nfsfh *fh, uint64_t at, const void *buf, size_t len)
{
	for (size_t done = 0; done < len;) {
		const char *from = (const char *)buf + done;
		int n = begin(l, NULL, NULL, 0);

#ifdef LIBNFS_API_V2
		if (n == 0)
			n = await(l, nfs_pwrite_async(l->context, fh, from, len - done, at + done, answered, l));
#else
		if (n == 0)
			n = await(l, nfs_pwrite_async(l->context, fh, at + done, len - done, from, answered, l));
#endif
		if (n <= 0)
			return n < 0 ? n : -EIO;
		done += (size_t)n;
	}
	return 0;
}

int
nfs_link_sync(struct nfs_link *l, struct nfsfh *fh)
{
	int rc = begin(l, NULL, NULL, 0);

	return rc < 0 ? rc : await(l, nfs_fsync_async(l->context, fh, answered, l));
}

int
nfs_link_truncate(struct nfs_link *l, struct nfsfh *fh, uint64_t bytes)
{
	int rc = begin(l, NULL, NULL, 0);

	return rc < 0 ? rc : await(l, nfs_ftruncate_async(l->context, fh, bytes, answered, l));
}

int
nfs_link_unlink(struct nfs_link *l, const char *path)
{
	int rc = begin(l, NULL, NULL, 0);

	return rc < 0 ? rc : await(l, nfs_unlink_async(l->context, path, answered, l));
}

int
nfs_link_times(struct nfs_link *l, const char *path, int64_t ns)
{
	struct timeval time = { .tv_sec = (time_t)(ns / 1000000000), .tv_usec = (suseconds_t)(ns % 1000000000 / 1000) };
	struct timeval both[2] = { time, time };
	int rc = begin(l, NULL, NULL, 0);

	return rc < 0 ? rc : await(l, nfs_utimes_async(l->context, path, both, answered, l));
}

static void
take_space(struct nfs_link *l, void *data)
{
	memcpy(l->out, data, l->room);
}

int
nfs_link_space(struct nfs_link *l, uint64_t *all, uint64_t *available)
{
	struct statvfs fs = { .f_bsize = 0 };
	uint64_t unit;
	int rc = begin(l, take_space, &fs, sizeof(fs));

	if (rc == 0)
		rc = await(l, nfs_statvfs_async(l->context, "/", answered, l));
	unit = fs.f_frsize != 0 ? fs.f_frsize : fs.f_bsize;
	*all = fs.f_blocks * unit;
	*available = fs.f_bavail * unit;
	return rc;
}

static void
take_directory(struct nfs_link *l, void *data)
{
	*(struct nfsdir **)l->out = data;
}

int
nfs_link_list(struct nfs_link *l, const char *path, void (*each)(void *arg, const char *name), void *arg)
{
	struct nfsdir *dir = NULL;
	struct nfsdirent *entry;
	int rc = begin(l, take_directory, &dir, sizeof(struct nfsdir *));

	if (rc == 0)
		rc = await(l, nfs_opendir_async(l->context, path, answered, l));
	if (rc < 0)
		return rc;
	while ((entry = nfs_readdir(l->context, dir)) != NULL)
		each(arg, entry->name);
	nfs_closedir(l->context, dir);
	return 0;
}

#endif

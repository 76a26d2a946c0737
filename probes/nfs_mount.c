/*
 * NFS mounts: the client's counters in /proc/self/mountstats, which asks no server. The file is read only while mountinfo,
 * whose changes poll() tells, has an NFS mount.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "probes/mount_watch.h"
#include "probes/nfs_table.h"
#include "probes/probe.h"

struct nfs_probe {
	struct probe probe;
	struct mount_watch watch;
	struct kept_file stats;
	struct nfs_table table;
	struct tcp_view tcp;
	struct mounts known;	/* the NFS mounts of watch.parsed, which owns their texts */
	bool mounted;		/* there is an NFS mount, as far as mountinfo tells */
	bool ever;		/* there was one: without any the kinds are not sampled at all */
	struct nfs_mount_text text;
};

static int
nfs_open(struct probe *probe)
{
	struct nfs_probe *nfs = (struct nfs_probe *)probe;

	mount_watch_init(&nfs->watch, probe->env);
	tcp_view_open(&nfs->tcp, probe->env);
	nfs->stats = (struct kept_file)KEPT_FILE("/proc/self/mountstats");
	/* as for mountinfo: under /host/proc "self" would still be us */
	if (probe->env->foreign)
		nfs->stats.path = "/proc/1/mountstats";
	return 0;
}

/* A machine may have thousands of mounts, few of them NFS; nfsd is the file system of a server's controls. */
static void
keep_nfs(struct mounts *out, const struct mounts *all)
{
	free(out->list);
	*out = (struct mounts) { .list = xcalloc(all->n + 1, sizeof(*out->list)) };
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->list[i].fstype, "nfs") == 0 || strcmp(all->list[i].fstype, "nfs4") == 0)
			out->list[out->n++] = all->list[i];
}

/* A recorded tree need not have mountinfo. */
static void
look_for_mounts(struct nfs_probe *nfs, uint64_t now_ns)
{
	if (mount_watch_read(&nfs->watch, now_ns)) {
		keep_nfs(&nfs->known, nfs->watch.parsed);
		nfs->mounted = nfs->known.n > 0;
	}
	if (nfs->watch.parsed == NULL && nfs->probe.env->foreign)
		nfs->mounted = true;
}

static int
read_stats(struct nfs_probe *nfs)
{
	int rc = kept_file_read(nfs->probe.env, &nfs->stats);

	if (rc < 0 && nfs->probe.env->foreign && strcmp(nfs->stats.path, "/proc/1/mountstats") == 0) {
		nfs->stats.path = "/proc/self/mountstats";
		rc = kept_file_read(nfs->probe.env, &nfs->stats);
	}
	return rc;
}

static void
take_mounts(struct nfs_probe *nfs, uint64_t now_ns)
{
	struct nfs_cursor cursor = { nfs->stats.buf, nfs->stats.buf + nfs->stats.len, 0 };

	nfs_table_begin(&nfs->table);
	while (nfs_mount_next(&cursor, &nfs->text))
		nfs_table_take(&nfs->table, &nfs->text, &nfs->known, now_ns);
	nfs_table_end(&nfs->table, now_ns);
	if (cursor.skipped > 0)
		probe_why(&nfs->probe, "%s: %zu lines not understood", nfs->stats.path, cursor.skipped);
}

static int
nfs_sample(struct probe *probe, struct snapshot *snapshot)
{
	struct nfs_probe *nfs = (struct nfs_probe *)probe;
	uint64_t now_ns = snapshot->stamp.mono_ns;

	look_for_mounts(nfs, now_ns);
	probe->why[0] = '\0';
	nfs->stats.len = 0;
	if (nfs->mounted) {
		int rc = read_stats(nfs);

		if (rc < 0 && !(rc == -ENOENT && probe->env->foreign))
			return probe_cannot(probe, nfs->stats.path, rc);
	}
	if (nfs->mounted || nfs->table.n > 0)
		take_mounts(nfs, now_ns);
	if (nfs->table.n > 0)
		nfs->ever = true;
	snprintf(probe->note, sizeof(probe->note), "%s", nfs->table.n > 0 ? "" : "no NFS mount");
	tcp_view_begin(&nfs->tcp);
	if (nfs->ever)
		nfs_table_put(&nfs->table, snapshot, &nfs->tcp);
	return 0;
}

static void
nfs_close(struct probe *probe)
{
	struct nfs_probe *nfs = (struct nfs_probe *)probe;

	free(nfs->known.list);
	nfs->known = (struct mounts) { .n = 0 };
	mount_watch_close(&nfs->watch);
	kept_file_close(&nfs->stats);
	nfs_table_clear(&nfs->table);
	tcp_view_close(&nfs->tcp);
}

static const struct kind *const kinds[] = { &kind_nfs_mount, &kind_nfs_op, &kind_nfs_conn, NULL };

const struct probe_ops probe_nfs_mount = {
	.name = "nfs",
	.what = "NFS mounts: /proc/self/mountstats, read only while there is one; sock_diag",
	.kinds = kinds,
	.size = sizeof(struct nfs_probe),
	.open = nfs_open,
	.sample = nfs_sample,
	.close = nfs_close,
};

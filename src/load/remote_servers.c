#include "load/remote_servers.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/xalloc.h"
#include "load/target_facts.h"
#include "load/target_family.h"
#include "sys/dirlist.h"
#include "sys/pidstat.h"
#include "sys/text.h"

/* Kernel threads (nfsd, LIO) and programs. */
static const char *const names[][8] = {
	[REMOTE_NFS] = { "nfsd", "ganesha.nfsd", "unfsd" },
	[REMOTE_ISCSI] = { "tgtd", "iscsi_trx", "iscsi_ttx", "iscsi_np", "ietd", "istgt", "scstd" },
	[REMOTE_NONE] = { NULL },
};

static int
read_stat(const struct env *env, uint64_t pid, struct pidstat *out)
{
	char text[1024];
	long len = env_attr(env, text, sizeof(text), "/proc/%" PRIu64 "/stat", pid);

	return len <= 0 ? -1 : pidstat_parse(text, (size_t)len, out);
}

static bool
serves(enum remote_kind kind, const char *name)
{
	for (size_t i = 0; i < sizeof(names[kind]) / sizeof(names[kind][0]) && names[kind][i] != NULL; i++)
		if (strcmp(names[kind][i], name) == 0)
			return true;
	return false;
}

struct remote_servers *
remote_servers_find(const struct env *env, enum remote_kind kind)
{
	struct remote_servers *found = xcalloc(1, sizeof(*found));
	struct dirlist processes;

	if (dirlist_read(env, &processes, "/proc") < 0)
		return found;
	for (size_t i = 0; i < processes.n; i++) {
		struct remote_server server = { .pid = strtoull(processes.names[i], NULL, 10) };
		struct pidstat stat;

		if (server.pid == 0 || read_stat(env, server.pid, &stat) < 0 || !serves(kind, stat.name))
			continue;
		server.start_ticks = stat.start_ticks;
		text_copy(server.name, sizeof(server.name), stat.name);
		found->list = xreallocarray(found->list, found->n + 1, sizeof(*found->list));
		found->list[found->n++] = server;
	}
	dirlist_free(&processes);
	return found;
}

void
remote_servers_free(struct remote_servers *servers)
{
	if (servers != NULL)
		free(servers->list);
	free(servers);
}

static uint64_t
size_of_device(int path_fd)
{
	char path[64];
	uint64_t bytes = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", path_fd);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || ioctl(fd, BLKGETSIZE64, &bytes) < 0)
		bytes = 0;
	if (fd >= 0)
		close(fd);
	return bytes;
}

/* "" where it is another thing than what is looked for. */
static void
device_of(const struct env *env, int fd, uint64_t size_bytes, uint64_t ino, char *out, size_t size)
{
	struct target_facts facts = { .kind = TARGET_FILE };
	struct family family;
	struct stat st;

	out[0] = '\0';
	if (fstat(fd, &st) < 0)
		return;
	if (S_ISREG(st.st_mode) && (uint64_t)st.st_size == size_bytes && (ino == 0 || st.st_ino == ino)) {
		if (facts_file(env, fd, &facts) == 0)
			text_copy(out, size, facts.device);
	} else if (S_ISBLK(st.st_mode) && ino == 0 && size_of_device(fd) == size_bytes) {
		if (family_read(env, st.st_rdev, &family) == 0)
			text_copy(out, size, family.list[0].name);
		family_free(&family);
	}
}

static void
look_at(const struct env *env, uint64_t pid, const char *number, uint64_t size_bytes, uint64_t ino, char *out, size_t size, bool *several)
{
	char path[96], device[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/fd/%s", pid, number);
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return;
	device_of(env, fd, size_bytes, ino, device, sizeof(device));
	close(fd);
	if (device[0] == '\0')
		return;
	*several = *several || (out[0] != '\0' && strcmp(out, device) != 0);
	text_copy(out, size, device);
}

void
remote_servers_device(const struct env *env, const struct remote_servers *servers, uint64_t size_bytes, uint64_t ino, char *out,
    size_t size)
{
	bool several = false;

	out[0] = '\0';
	for (size_t i = 0; i < servers->n; i++) {
		struct dirlist files;

		if (dirlist_read(env, &files, "/proc/%" PRIu64 "/fd", servers->list[i].pid) < 0)
			continue;
		for (size_t k = 0; k < files.n; k++)
			look_at(env, servers->list[i].pid, files.names[k], size_bytes, ino, out, size, &several);
		dirlist_free(&files);
	}
	if (several)
		out[0] = '\0';
}

void
remote_servers_begin(const struct env *env, struct remote_servers *servers)
{
	for (size_t i = 0; i < servers->n; i++) {
		struct pidstat stat;

		if (read_stat(env, servers->list[i].pid, &stat) == 0)
			servers->list[i].begin_ticks = stat.cpu_ticks;
	}
}

/* One that has ended took with it what it used; another process may have its number. */
void
remote_servers_end(const struct env *env, struct remote_servers *servers)
{
	for (size_t i = 0; i < servers->n; i++) {
		struct remote_server *server = &servers->list[i];
		struct pidstat stat;

		if (read_stat(env, server->pid, &stat) == 0 && stat.start_ticks == server->start_ticks)
			server->used_ticks += stat.cpu_ticks - server->begin_ticks;
	}
}

static void
add_name(char *out, size_t size, const char *name)
{
	size_t len = strlen(out), n = strlen(name);

	for (const char *p = out; (p = strstr(p, name)) != NULL; p += n)
		if ((p == out || p[-1] == ' ') && (p[n] == '\0' || p[n] == ','))
			return;
	snprintf(out + len, size - len, "%s%s", len > 0 ? ", " : "", name);
}

double
remote_servers_take(struct remote_servers *servers, char *out, size_t size)
{
	uint64_t ticks = 0;

	out[0] = '\0';
	for (size_t i = 0; i < servers->n; i++) {
		if (servers->list[i].used_ticks > 0)
			add_name(out, size, servers->list[i].name);
		ticks += servers->list[i].used_ticks;
		servers->list[i].used_ticks = 0;
	}
	return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

#include "probes/mount_watch.h"

#include <poll.h>
#include <string.h>

#define AGAIN_NS UINT64_C(5000000000)

void
mount_watch_init(struct mount_watch *m, const struct env *env)
{
	*m = (struct mount_watch){ .env = env, .file = KEPT_FILE("/proc/self/mountinfo") };
	/* Under /host/proc "self" would still be us, with the mounts of our container. */
	if (env->foreign)
		m->file.path = "/proc/1/mountinfo";
}

static bool
has_changed(const struct mount_watch *m, uint64_t now_ns)
{
	struct pollfd fd = { .fd = m->file.fd, .events = POLLPRI };

	if (m->read_ns == 0)
		return true;
	if (m->file.fd < 0)
		return now_ns - m->read_ns >= AGAIN_NS;
	return poll(&fd, 1, 0) > 0 && (fd.revents & (POLLERR | POLLPRI)) != 0;
}

bool
mount_watch_read(struct mount_watch *m, uint64_t now_ns)
{
	if (!has_changed(m, now_ns))
		return false;
	m->read_ns = now_ns;
	if (kept_file_read(m->env, &m->file) < 0) {
		if (!m->env->foreign || strcmp(m->file.path, "/proc/1/mountinfo") != 0)
			return false;
		m->file.path = "/proc/self/mountinfo";
		if (kept_file_read(m->env, &m->file) < 0)
			return false;
	}
	mounts_free(m->parsed);
	m->parsed = mounts_parse(m->file.buf, m->file.len);
	return true;
}

void
mount_watch_close(struct mount_watch *m)
{
	kept_file_close(&m->file);
	mounts_free(m->parsed);
	m->parsed = NULL;
}

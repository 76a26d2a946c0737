#include "cmd/configure.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/xalloc.h"
#include "sys/helper.h"

#define WAIT_MS 100
#define FILE_MAX 32768	/* as much as the helper hands out */

static void
take(void *arg, const char *data, long len)
{
	struct configure *c = arg;
	struct config *config;

	c->late = true;
	c->pending = false;
	if (!c->named && (len == -ENOENT || len == -ENOTDIR))
		return;
	if (len < 0) {
		snprintf(c->why, sizeof(c->why), "%s", len == -ETIMEDOUT ? "not responding" : strerror((int)-len));
		return;
	}
	config = config_parse(data, (size_t)len);
	settings_take(&c->settings, config, c->why, sizeof(c->why));
	config_free(config);
}

/* Without a helper (a foreign root) there is nobody else to ask. */
static void
read_here(struct configure *c)
{
	char *data = xmalloc(FILE_MAX + 1);
	int fd = open(c->path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, data, FILE_MAX) : -1;

	data[n > 0 ? n : 0] = '\0';
	take(c, data, n >= 0 ? n : -errno);
	if (fd >= 0)
		close(fd);
	free(data);
}

static void
wait_while(const bool *pending, struct helper *helper, int most_ms)
{
	uint64_t end_ns = clock_ns() + (uint64_t)most_ms * NS_PER_MS;

	while (*pending) {
		int64_t left = (int64_t)(end_ns - clock_ns()) / 1000000;
		struct pollfd fd = { .fd = helper_fd(helper), .events = POLLIN };

		if (left <= 0)
			return;
		poll(&fd, 1, (int)left);
		helper_poll(helper);
	}
}

static void
ask(struct configure *c, int most_ms)
{
	int rc;

	if (c->helper == NULL) {
		read_here(c);
		return;
	}
	c->pending = true;
	rc = helper_ask(c->helper, HELPER_READ, c->path, take, c);
	if (rc != 0)
		take(c, NULL, rc);
	wait_while(&c->pending, c->helper, most_ms);
}

int
configure_open(struct configure *c, const struct options *o, const struct env *env)
{
	*c = (struct configure) { .named = o->config != NULL, .helper = env->helper, .save_fd = -1 };
	settings_init(&c->settings);
	c->path = o->config != NULL ? xstrdup(o->config) : config_default_path();
	if (c->path == NULL)
		return 0;
	ask(c, c->named || o->command != COMMAND_DASH ? HELPER_LIMIT_MS + WAIT_MS : WAIT_MS);
	if (c->named && c->why[0] != '\0') {
		cmd_warn("--config %s: %s", c->path, c->why);
		return 2;
	}
	c->late = false;
	return 0;
}

void
configure_close(struct configure *c)
{
	if (c->pending)
		helper_forget(c->helper, c);
	if (c->save_fd >= 0)
		close(c->save_fd);
	settings_clear(&c->settings);
	free(c->path);
}

uint64_t
configure_interval(const struct configure *c, const struct options *o)
{
	return o->interval_given || c->settings.interval_ns == 0 ? o->interval_ns : c->settings.interval_ns;
}

static void
answered(void *arg, const char *data, long len)
{
	bool *pending = arg;

	(void)data, (void)len;
	*pending = false;
}

bool
configure_home_answers(const struct configure *c)
{
	const char *home = getenv("HOME");
	bool pending = true;

	if (c->helper == NULL || home == NULL)
		return true;
	if (c->pending || helper_ask(c->helper, HELPER_STAT, home, answered, &pending) != 0)
		return false;
	wait_while(&pending, c->helper, WAIT_MS);
	if (pending)
		helper_forget(c->helper, &pending);
	return !pending;
}

/* What a saving thread needs; it owns all of it, for it may outlive everything else on a dead disk. */
struct save {
	char *path;
	struct config_change *changes;
	size_t n;
	int done_fd;
};

static void
save_free(struct save *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free((void *)(uintptr_t)s->changes[i].section);
		free((void *)(uintptr_t)s->changes[i].key);
		free((void *)(uintptr_t)s->changes[i].value);
	}
	free(s->changes);
	free(s->path);
	close(s->done_fd);
	free(s);
}

static void *
save_thread(void *arg)
{
	struct save *s = arg;
	int rc = config_save(s->path, s->changes, s->n);

	(void)!write(s->done_fd, &rc, sizeof(rc));
	save_free(s);
	return NULL;
}

static struct save *
save_new(const char *path, const struct config_change *changes, size_t n, int done_fd)
{
	struct save *s = xcalloc(1, sizeof(*s));

	s->path = xstrdup(path);
	s->changes = xcalloc(n, sizeof(*s->changes));
	s->n = n;
	s->done_fd = done_fd;
	for (size_t i = 0; i < n; i++)
		s->changes[i] = (struct config_change) { xstrdup(changes[i].section), xstrdup(changes[i].key),
			xstrdup(changes[i].value) };
	return s;
}

int
configure_save(struct configure *c, const struct config_change *changes, size_t n)
{
	pthread_attr_t detached;
	pthread_t thread;
	struct save *save;
	int fds[2], rc;

	if (c->path == NULL)
		return -ENOENT;
	if (c->save_fd >= 0)
		return -EBUSY;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	save = save_new(c->path, changes, n, fds[1]);
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	rc = pthread_create(&thread, &detached, save_thread, save);
	pthread_attr_destroy(&detached);
	if (rc != 0) {
		save_free(save);
		close(fds[0]);
		return -rc;
	}
	c->save_fd = fds[0];
	return 0;
}

int
configure_saved(struct configure *c)
{
	int rc = -EIO;

	if (read(c->save_fd, &rc, sizeof(rc)) != (ssize_t)sizeof(rc))
		rc = -EIO;
	close(c->save_fd);
	c->save_fd = -1;
	return rc;
}

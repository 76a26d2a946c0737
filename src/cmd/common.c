#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "db/store.h"
#include "out/escape.h"
#include "sampler/sampler.h"
#include "session/settings.h"

volatile int cmd_stop;
int cmd_stop_fd = -1;
static int stop_write_fd = -1;

static void
on_stop(int number)
{
	int saved = errno;

	/* a lost terminal is told of twice, by the kernel and by the shell, and is nobody's impatience */
	if (cmd_stop != 0 && cmd_stop != SIGHUP && number != SIGHUP)
		_exit(130);
	if (cmd_stop == 0 || number != SIGHUP)
		cmd_stop = number;
	(void)!write(stop_write_fd, "", 1);
	errno = saved;
}

int
cmd_signals(void)
{
	struct sigaction stop = { .sa_handler = on_stop }, ignore = { .sa_handler = SIG_IGN }, hangup;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	cmd_stop_fd = fds[0];
	stop_write_fd = fds[1];
	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	/* nohup(1) */
	if (sigaction(SIGHUP, NULL, &hangup) < 0 || hangup.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &stop, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
	/* A file that may not grow (ulimit -f) is an error of the write, for the database and a test file alike. */
	sigaction(SIGXFSZ, &ignore, NULL);
	return 0;
}

size_t
cmd_harmless(char *text)
{
	size_t left = strlen(text), characters = 0, n;
	char *to = text;

	for (const char *from = text; left > 0; from += n, left -= n, characters++) {
		bool odd;

		n = escape_next(from, left, &odd);
		if (odd)
			*to = '?';
		else
			memmove(to, from, n);
		to += odd ? 1 : n;
	}
	*to = '\0';
	return characters;
}

void
cmd_warn(const char *format, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	cmd_harmless(text);
	fprintf(stderr, "stortop: %s\n", text);
}

void
cmd_host_name(const struct env *env, char *out, size_t size)
{
	if (env_attr(env, out, size, "/proc/sys/kernel/hostname") > 0)
		return;
	if (env_attr(env, out, size, "/etc/hostname") > 0)
		return;
	if (!env->foreign && gethostname(out, size) == 0 && out[0] != '\0') {
		out[size - 1] = '\0';
		return;
	}
	snprintf(out, size, "localhost");
}

void
cmd_boot_id(const struct env *env, char *out, size_t size)
{
	if (env_attr(env, out, size, "/proc/sys/kernel/random/boot_id") < 0)
		out[0] = '\0';
}

struct sink *
cmd_open_store(const struct options *o, const struct env *env, const struct settings *settings)
{
	char host[256], boot_id[64];
	struct store_options store = {
		.path = o->db,
		.source = env->foreign ? env->root : "live",
		.host = host,
		.boot_id = boot_id,
		.full_rate_s = settings->full_rate_s,
		.minute_s = settings->minute_s,
		.cap_bytes = settings->cap_bytes,
	};

	cmd_host_name(env, host, sizeof(host));
	cmd_boot_id(env, boot_id, sizeof(boot_id));
	return store_sink(&store);
}

void
cmd_troubles(const struct sampler *sampler, char *out, size_t size)
{
	const struct probe *p;

	out[0] = '\0';
	for (size_t i = 0; (p = sampler_probe(sampler, i)) != NULL; i++) {
		size_t len = strlen(out);

		if (p->why[0] != '\0' && len + 4 < size)
			snprintf(out + len, size - len, "%s%s: %s", len > 0 ? "; " : "", p->ops->name, p->why);
	}
}

void
cmd_say_troubles(const struct sampler *sampler, char said[static CMD_TROUBLES_MAX])
{
	char now[CMD_TROUBLES_MAX];

	cmd_troubles(sampler, now, sizeof(now));
	if (strcmp(now, said) == 0)
		return;
	strcpy(said, now);
	if (now[0] != '\0')
		cmd_warn("%s", now);
}

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/dash.h"
#include "views/plain.h"

/* Lines for a terminal are as wide as it is; a pipe takes any. */
static int
width(void)
{
	struct winsize w;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
}

/* -1: go on, else the exit status. */
static int
write_all(const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(STDOUT_FILENO, text, len);

		if (n < 0 && errno == EINTR && cmd_stop == 0)
			continue;
		if (n < 0 && (errno == EPIPE || errno == EINTR))
			return 0;
		if (n < 0) {
			cmd_warn("standard output: %s", strerror(errno));
			return 1;
		}
		text += n;
		len -= (size_t)n;
	}
	return -1;
}

static void
say_why_stopped(struct dash *d)
{
	const struct store_status *store = &d->screen.store;

	if (!d->screen.recording || d->store_said || store->state != STORE_STOPPED)
		return;
	d->store_said = true;
	cmd_warn("recording stopped: %s", store->reason);
}

/* What could not be read and why: once, and again when it is something else. */
static void
say_troubles(struct dash *d)
{
	if (strcmp(d->trouble_said, d->screen.trouble) == 0)
		return;
	snprintf(d->trouble_said, sizeof(d->trouble_said), "%s", d->screen.trouble);
	if (d->trouble_said[0] != '\0')
		cmd_warn("%s", d->trouble_said);
}

static int
print_interval(struct dash *d, bool utf8)
{
	size_t len;
	char *text = plain_text(&d->screen, utf8, width(), &len);
	int status = write_all(text, len);

	free(text);
	say_why_stopped(d);
	say_troubles(d);
	return status;
}

int
dash_plain(struct dash *d)
{
	bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;

	/* lines have no charts: the devices say more than the overview */
	for (size_t i = 0; d->configure.settings.view[0] == '\0' && view_table[i] != NULL; i++)
		if (view_table[i] == &view_devices)
			screen_show(&d->screen, i);
	for (;;) {
		struct pollfd fds[SESSION_FDS + 2];
		struct interval *interval;
		int timeout, n = session_pollfds(d->session, fds, &timeout);

		fds[n++] = (struct pollfd) { .fd = cmd_stop_fd, .events = POLLIN };
		/* no events: only that the reader of a pipe has gone */
		fds[n++] = (struct pollfd) { .fd = STDOUT_FILENO };
		poll(fds, (nfds_t)n, timeout);
		if (cmd_stop != 0 || (fds[n - 1].revents & (POLLERR | POLLHUP)))
			return 0;
		interval = session_step(d->session, false);
		if (interval != NULL) {
			bool last = dash_take(d, interval);
			int status = print_interval(d, utf8);

			if (status >= 0 || last)
				return status >= 0 ? status : 0;
		}
	}
}

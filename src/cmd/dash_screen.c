#include <errno.h>
#include <langinfo.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/dash.h"
#include "cmd/dash_test.h"
#include "core/clock.h"
#include "views/apply.h"
#include "views/prompt.h"

#define SAVE_WAIT_MS 1000

/* The screen's run: what it draws on, and what it waits for. */
struct run {
	struct dash *dash;
	struct terminal *terminal;
	struct dash_test *test;
	struct surface surface;
	sigset_t outside;	/* signals while it waits */
	bool changed, ended;
	bool force;		/* measure now */
};

static void
draw(struct run *r)
{
	int rows, cols, y, x;

	terminal_size(r->terminal, &rows, &cols);
	if (rows != r->surface.rows || cols != r->surface.cols)
		surface_resize(&r->surface, rows, cols);
	screen_draw(&r->dash->screen, &r->surface, &y, &x);
	terminal_draw(r->terminal, &r->surface, y, x);
	r->changed = false;
}

static void
read_keys(struct run *r)
{
	struct input input;
	bool any = false;

	while (!r->dash->screen.requests.quit && terminal_read(r->terminal, &input) == 1) {
		screen_key(&r->dash->screen, &input);
		any = true;
	}
	if (!any && terminal_lost(r->terminal))
		r->ended = true;
	r->changed = r->changed || any;
}

static void
begin_save(struct run *r)
{
	struct screen *s = &r->dash->screen;
	size_t n;
	struct config_change *changes = screen_changes(s, &n);
	int rc = configure_save(&r->dash->configure, changes, n);

	changes_free(changes, n);
	if (rc == -ENOENT)
		screen_notice(s, "no place for a configuration: neither HOME nor XDG_CONFIG_HOME is set");
	else if (rc != 0)
		screen_notice(s, "not saved: %s", strerror(-rc));
}

static void
end_save(struct run *r)
{
	int rc = configure_saved(&r->dash->configure);

	if (rc == 0) {
		r->dash->configure.why[0] = '\0';
		screen_notice(&r->dash->screen, "saved to %s", r->dash->configure.path);
	} else {
		screen_notice(&r->dash->screen, "%s not saved: %s", r->dash->configure.path, strerror(-rc));
	}
	r->changed = true;
}

/* "there is no eth7 here, but eth0, lo": a name that was just typed is a slip, not an interface to come. */
static void
say_interfaces(struct screen *screen, const char *typed)
{
	struct if_nameindex *all = if_nameindex();
	char names[200] = "";
	size_t at = 0;

	for (size_t i = 0; all != NULL && all[i].if_name != NULL && at < sizeof(names); i++)
		at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s", i > 0 ? ", " : "", all[i].if_name);
	if (all != NULL)
		if_freenameindex(all);
	screen_notice(screen, "there is no %.40s here, but %s", typed, names);
}

/* The probe opens it at the tick that is forced, and says what is wrong where it cannot. */
static void
add_capture(struct run *r, const char *interface)
{
	struct captures *captures = r->dash->env->captures;
	int rc;

	if (captures != NULL && if_nametoindex(interface) == 0) {
		say_interfaces(&r->dash->screen, interface);
		return;
	}
	rc = captures != NULL ? captures_add(captures, interface) : -ENOTSUP;

	if (rc == -ENOTSUP)
		screen_notice(&r->dash->screen, "there is nothing to capture below another root");
	else if (rc < 0)
		screen_notice(&r->dash->screen, "at most %d interfaces are captured", CAPTURES_MOST);
	else
		r->force = true;
}

static void
do_requests(struct run *r)
{
	struct requests want = r->dash->screen.requests;

	if (dash_test_step(r->test))
		r->changed = true;
	r->dash->screen.requests = (struct requests) { .quit = want.quit };
	r->ended = r->ended || want.quit;
	r->force = r->force || want.refresh;
	if (want.redraw)
		terminal_redraw(r->terminal);
	if (want.save)
		begin_save(r);
	if (want.capture[0] != '\0')
		add_capture(r, want.capture);
	if (want.interval_ns != 0) {
		sampler_set_interval(session_sampler(r->dash->session), want.interval_ns);
		r->dash->screen.interval_ns = want.interval_ns;
	}
}

/* A configuration that came late, from a home directory that took its time. */
static void
late_settings(struct run *r)
{
	struct dash *d = r->dash;
	char why[200] = "";

	if (!d->configure.late)
		return;
	d->configure.late = false;
	screen_apply(&d->screen, &d->configure.settings, why, sizeof(why));
	if (!d->options->interval_given && d->configure.settings.interval_ns != 0)
		d->screen.requests.interval_ns = d->configure.settings.interval_ns;
	session_set_thresholds(d->session, &d->configure.settings.thresholds);
	d->screen.verdicts = session_verdicts(d->session);
	r->changed = true;
}

/* The store opens, stops or falls behind between two ticks too. */
static void
look_at_store(struct run *r)
{
	struct screen *s = &r->dash->screen;
	enum store_state before = s->store.state;

	s->recording = session_store_status(r->dash->session, &s->store);
	r->changed = r->changed || s->store.state != before;
}

static void
measure(struct run *r)
{
	struct interval *interval = session_step(r->dash->session, r->force);

	r->force = false;
	if (interval == NULL)
		return;
	if (dash_take(r->dash, interval))
		r->ended = true;
	r->changed = true;
}

static void
wait_for_something(struct run *r)
{
	struct pollfd fds[SESSION_FDS + 4];
	int timeout, n = session_pollfds(r->dash->session, fds, &timeout), keys = n, save = -1;
	struct timespec limit;

	fds[n++] = (struct pollfd) { .fd = STDIN_FILENO, .events = POLLIN };
	fds[n++] = (struct pollfd) { .fd = cmd_stop_fd, .events = POLLIN };
	if (dash_test_fd(r->test) >= 0)
		fds[n++] = (struct pollfd) { .fd = dash_test_fd(r->test), .events = POLLIN };
	if (r->dash->configure.save_fd >= 0) {
		save = n;
		fds[n++] = (struct pollfd) { .fd = r->dash->configure.save_fd, .events = POLLIN };
	}
	limit.tv_sec = timeout / 1000;
	limit.tv_nsec = (long)(timeout % 1000) * 1000000;
	if (ppoll(fds, (nfds_t)n, timeout >= 0 && !r->force ? &limit : r->force ? &(struct timespec) { 0, 0 } : NULL,
	    &r->outside) < 0)
		return;
	r->dash->screen.now_ns = clock_ns();
	if (fds[keys].revents & POLLIN)
		read_keys(r);
	else if (fds[keys].revents != 0)
		r->ended = true;
	if (save >= 0 && fds[save].revents != 0)
		end_save(r);
}

/* Ctrl-C is as q: while a test runs it asks, and a second one is the answer. */
static bool
told_to_stop(struct run *r)
{
	struct screen *s = &r->dash->screen;
	char bytes[16];

	if (cmd_stop != SIGINT || !s->test.running || s->prompt == PROMPT_QUIT)
		return cmd_stop != 0;
	cmd_stop = 0;
	while (read(cmd_stop_fd, bytes, sizeof(bytes)) > 0)
		continue;
	prompt_open(s, PROMPT_QUIT);
	r->changed = true;
	return false;
}

static void
loop(struct run *r)
{
	while (!r->ended && !told_to_stop(r)) {
		terminal_hold(r->terminal, r->dash->screen.test.running);
		if (terminal_signals(r->terminal))
			r->changed = true;
		if (terminal_refused(r->terminal))
			screen_notice(&r->dash->screen, "a test runs: not to be suspended");
		if (r->changed)
			draw(r);
		wait_for_something(r);
		do_requests(r);
		measure(r);
		if (dash_test_step(r->test))
			r->changed = true;
		late_settings(r);
		look_at_store(r);
	}
}

/* W and q in one breath: the file is still written, unless its disk is dead. */
static void
wait_for_save(struct run *r)
{
	struct pollfd fd = { .fd = r->dash->configure.save_fd, .events = POLLIN };

	if (fd.fd >= 0)
		poll(&fd, 1, SAVE_WAIT_MS);
}

int
dash_screen(struct dash *d, struct terminal *terminal, const char *remark, const sigset_t *outside)
{
	struct run r = { .dash = d, .terminal = terminal, .outside = *outside, .changed = true };

	surface_init(&r.surface, 1, 1, strcmp(nl_langinfo(CODESET), "UTF-8") == 0);
	d->screen.now_ns = clock_ns();
	if (remark[0] != '\0')
		screen_notice(&d->screen, "%s", remark);
	r.test = dash_test_open(d);
	loop(&r);
	/* the terminal first: draining the store may take a while */
	terminal_close(terminal);
	sigprocmask(SIG_SETMASK, outside, NULL);
	surface_free(&r.surface);
	dash_test_drain(r.test);
	dash_test_close(r.test);
	wait_for_save(&r);
	if (d->screen.recording && d->screen.store.state == STORE_STOPPED)
		cmd_warn("recording stopped: %s", d->screen.store.reason);
	return 0;
}

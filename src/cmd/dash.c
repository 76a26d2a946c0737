/*
 * stortop without a command: live -> screen + store. On a terminal the dashboard, elsewhere the plain table.
 */
#include "cmd/dash.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/xalloc.h"
#include "views/apply.h"
#include "views/plain.h"

#define HISTORY_SAMPLES 300
#define DETAIL_BUDGET_NS UINT64_C(2000000)	/* of a tick; the labels of many devices come bit by bit */

static void
note_troubles(struct dash *d)
{
	struct screen *s = &d->screen;

	cmd_troubles(session_sampler(d->session), s->trouble, sizeof(s->trouble));
	if (s->trouble[0] == '\0' && d->configure.why[0] != '\0')
		snprintf(s->trouble, sizeof(s->trouble), "%s: %s", d->configure.path, d->configure.why);
}

bool
dash_take(struct dash *d, struct interval *interval)
{
	d->screen.verdicts = session_verdicts(d->session);
	d->screen.recording = session_store_status(d->session, &d->screen.store);
	note_troubles(d);
	screen_feed(&d->screen, interval);
	interval_unref(interval);
	return d->options->rows > 0 && ++d->shown >= d->options->rows;
}

/* A foreign root is recorded only where --db asks for it. */
static bool
records(const struct dash *d)
{
	return !d->options->no_record && (!d->env->foreign || d->options->db != NULL);
}

/* 0, or the errno of a timer that is not to be had. */
static int
open_session(struct dash *d)
{
	const struct settings *settings = &d->configure.settings;
	struct session_options options = {
		.env = d->env,
		.probes = probe_table,
		.interval_ns = configure_interval(&d->configure, d->options),
		.thresholds = &settings->thresholds,
		.history = HISTORY_SAMPLES,
		.quick_first = true,
	};

	if (records(d))
		options.store = cmd_open_store(d->options, d->env, settings);
	d->session = session_open(&options);
	if (d->session == NULL) {
		int error = errno;

		sink_close(options.store);
		return error;
	}
	d->screen.host = d->host;
	d->screen.interval_ns = options.interval_ns;
	d->screen.history = session_history(d->session);
	d->screen.verdicts = session_verdicts(d->session);
	d->screen.recording = session_store_status(d->session, &d->screen.store);
	d->screen.all = d->options->all;
	d->screen.config_path = d->configure.path;
	return 0;
}

/*
 * Curses looks for descriptions of terminals below the home directory, and would wait for ever for a dead one. Before
 * any thread exists, since it changes the environment.
 */
static struct terminal *
open_curses(const struct dash *d, const struct terminal_options *options, char *remark, size_t size)
{
	char *home = configure_home_answers(&d->configure) ? NULL : xstrdup(getenv("HOME"));
	struct terminal *t;

	if (home != NULL)
		unsetenv("HOME");
	t = terminal_open(options, remark, size);
	if (home != NULL)
		setenv("HOME", home, 1);
	free(home);
	return t;
}

/* The terminal, or NULL for the plain table, which is said where somebody may wonder. */
static struct terminal *
open_terminal(const struct dash *d, char *remark, size_t size)
{
	struct terminal_options options = { .mouse = d->configure.settings.mouse };
	struct terminal *t;

	remark[0] = '\0';
	if (!isatty(STDOUT_FILENO))
		return NULL;
	if (!isatty(STDIN_FILENO)) {
		cmd_warn("standard input is no terminal: plain lines instead of the screen");
		return NULL;
	}
	for (int i = 0; i < BACKGROUND_COUNT; i++)
		if (strcmp(background_name[i], d->configure.settings.background) == 0)
			options.background = (enum background)i;
	t = open_curses(d, &options, remark, size);
	if (t == NULL)
		cmd_warn("%s: plain lines instead of the screen", remark);
	return t;
}

/* What the file says of screens and columns; a file named by --config must not be wrong. */
static int
apply_settings(struct dash *d)
{
	char why[sizeof(d->configure.why)] = "";

	if (screen_apply(&d->screen, &d->configure.settings, why, sizeof(why)) == 0)
		return 0;
	if (d->configure.named) {
		cmd_warn("--config %s: %s", d->configure.path, why);
		return 2;
	}
	if (d->configure.why[0] == '\0')
		snprintf(d->configure.why, sizeof(d->configure.why), "%s", why);
	return 0;
}

static int
run(struct dash *d)
{
	struct terminal *terminal;
	sigset_t inside, outside;
	char remark[200];
	int status = apply_settings(d);

	if (status != 0)
		return status;
	/* before there are threads: a signal that one of them took would not wake this one */
	sigemptyset(&inside);
	terminal_block(&inside);
	sigprocmask(SIG_BLOCK, &inside, &outside);
	status = open_session(d);
	terminal = status == 0 ? open_terminal(d, remark, sizeof(remark)) : NULL;
	if (terminal != NULL)
		return dash_screen(d, terminal, remark, &outside);
	sigprocmask(SIG_SETMASK, &outside, NULL);
	return status == 0 ? dash_plain(d) : status;
}

int
cmd_dash(const struct options *o, struct env *env)
{
	struct dash d = { .options = o, .env = env };
	int status;

	setlocale(LC_CTYPE, "");	/* for the charset only: numbers never follow the locale */
	env->detail_budget_ns = DETAIL_BUDGET_NS;
	cmd_host_name(env, d.host, sizeof(d.host));
	status = configure_open(&d.configure, o, env);
	if (status == 0) {
		screen_init(&d.screen);
		status = run(&d);
		session_close(d.session);
		screen_clear(&d.screen);
	}
	configure_close(&d.configure);
	return status;
}

#include "cmd/dash_test.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <mntent.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/format.h"
#include "core/xalloc.h"
#include "db/runs.h"
#include "session/test.h"
#include "views/prompt.h"

#define DRAIN_NS UINT64_C(3000000000)
#define RECENT 20

enum task { TASK_SURVEY, TASK_FACTS, TASK_EARLIER, TASKS };

/* One errand of a thread. It belongs to the thread until it is done, and its address comes through the pipe. */
struct errand {
	atomic_bool done;
	enum task task;
	uint64_t number;	/* an answer to an older question is thrown away */
	int out;		/* the pipe's end, its own: it may outlive the dashboard */
	char *db;		/* NULL: none */
	char target[512];
	struct test_survey survey;
	struct target_facts facts;
	int rc;
	struct test_earlier earlier;
};

struct dash_test {
	struct dash *dash;
	int fds[2];
	uint64_t asked[TASKS];	/* number of the newest errand */
	uint64_t numbers;
	bool running;		/* as shown last */
	bool starting;		/* not known yet whether the target may be used */
	bool answered;		/* the question had an answer when it was started */
};

/* ---- in threads ---- */

static bool
known_place(const struct test_survey *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->places[i].name, name) == 0)
			return true;
	return false;
}

__attribute__((format(printf, 3, 4)))
static void
add_place(struct test_survey *s, const char *name, const char *format, ...)
{
	struct test_place *p;
	va_list ap;

	if (s->n == TEST_PLACES || name[0] == '\0' || strlen(name) >= sizeof(p->name) || known_place(s, name))
		return;
	p = &s->places[s->n++];
	snprintf(p->name, sizeof(p->name), "%s", name);
	va_start(ap, format);
	vsnprintf(p->what, sizeof(p->what), format, ap);
	va_end(ap);
}

static void
add_recent(struct errand *e)
{
	struct run_line *lines = xcalloc(RECENT, sizeof(*lines));
	char why[160];
	int n = e->db != NULL ? runs_list(e->db, NULL, lines, RECENT, why, sizeof(why)) : 0;

	for (int i = 0; i < n; i++)
		if (strcmp(lines[i].target, "null:") != 0)
			add_place(&e->survey, lines[i].target, "last test: %.60s", lines[i].workload);
	free(lines);
}

static bool
is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/*
 * File systems on devices, with their room; of network mounts the name alone, since asking may take for ever. A file is a
 * mount point too, in containers /etc/hosts say, and no place for a test.
 */
static void
add_mounts(struct errand *e)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	struct mntent entry, *m;
	char text[4096], room[FORMAT_MAX];
	struct statvfs fs;

	while (f != NULL && (m = getmntent_r(f, &entry, text, sizeof(text))) != NULL) {
		if (hasmntopt(m, "ro") != NULL)
			continue;
		if (strncmp(m->mnt_type, "nfs", 3) == 0)
			add_place(&e->survey, m->mnt_dir, "%.10s  %.70s", m->mnt_type, m->mnt_fsname);
		if (strncmp(m->mnt_fsname, "/dev/", 5) != 0 || !is_directory(m->mnt_dir) || statvfs(m->mnt_dir, &fs) != 0)
			continue;
		format_bytes(room, (double)fs.f_bavail * (double)fs.f_frsize);
		add_place(&e->survey, m->mnt_dir, "%s free  %.20s on %.50s", room, m->mnt_type, m->mnt_fsname);
	}
	if (f != NULL)
		endmntent(f);
}

static int
by_iops(const void *pa, const void *pb)
{
	const struct run_line *a = pa, *b = pb;

	if (isnan(a->iops) || isnan(b->iops))
		return (isnan(a->iops) != 0) - (isnan(b->iops) != 0);
	return a->iops > b->iops ? -1 : a->iops < b->iops;
}

static void
list_earlier(struct errand *e)
{
	struct test_earlier *t = &e->earlier;

	if (e->db == NULL) {
		snprintf(t->why, sizeof(t->why), "there is no recording");
		return;
	}
	t->n = runs_list(e->db, t->workload, t->lines, TEST_EARLIER, t->why, sizeof(t->why));
	if (t->n < 0)
		t->n = 0;
	else
		t->why[0] = '\0';
	qsort(t->lines, (size_t)t->n, sizeof(t->lines[0]), by_iops);
}

static void *
run_errand(void *arg)
{
	struct errand *e = arg;
	int out = e->out;

	if (e->task == TASK_FACTS) {
		e->rc = target_describe(e->target, &e->facts);
	} else if (e->task == TASK_EARLIER) {
		list_earlier(e);
	} else {
		add_recent(e);
		add_mounts(e);
	}
	atomic_store_explicit(&e->done, true, memory_order_release);
	/* nobody reads any more: the dashboard has gone */
	if (write(out, &e, sizeof(e)) != (ssize_t)sizeof(e)) {
		free(e->db);
		free(e);
	}
	close(out);
	return NULL;
}

/* ---- in the main thread ---- */

static char *
db_path(const struct dash *d)
{
	if (d->screen.store.path[0] != '\0')
		return xstrdup(d->screen.store.path);
	return d->options->db != NULL ? xstrdup(d->options->db) : store_default_read_path();
}

static void
send_out(struct dash_test *t, enum task task)
{
	struct errand *e = xcalloc(1, sizeof(*e));
	sigset_t all, before;
	pthread_t thread;

	*e = (struct errand) { .task = task, .number = ++t->numbers, .out = fcntl(t->fds[1], F_DUPFD_CLOEXEC, 0) };
	t->asked[task] = e->number;
	e->db = db_path(t->dash);
	snprintf(e->target, sizeof(e->target), "%s", t->dash->screen.test.target);
	snprintf(e->earlier.workload, sizeof(e->earlier.workload), "%s", t->dash->screen.test.earlier.workload);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (e->out < 0 || pthread_create(&thread, NULL, run_errand, e) != 0) {
		screen_notice(&t->dash->screen, "no thread can be started");
		if (e->out >= 0)
			close(e->out);
		free(e->db);
		free(e);
	} else {
		pthread_detach(thread);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void
take_over(struct dash_test *t, const struct errand *e)
{
	struct test_page *p = &t->dash->screen.test;

	if (e->number != t->asked[e->task])
		return;
	switch (e->task) {
	case TASK_FACTS:
		p->facts = e->facts;
		p->facts_error = -e->rc;
		p->facts_state = e->rc == 0 ? FACTS_KNOWN : FACTS_FAILED;
		break;
	case TASK_EARLIER:
		p->earlier = e->earlier;
		break;
	default:
		test_form_survey(&t->dash->screen, &e->survey);
		break;
	}
}

static bool
take_answers(struct dash_test *t)
{
	struct errand *e;
	bool any = false;

	while (read(t->fds[0], &e, sizeof(e)) == (ssize_t)sizeof(e)) {
		/* C has no order of memory for pipes; it has one for this. */
		if (atomic_load_explicit(&e->done, memory_order_acquire))
			take_over(t, e);
		free(e->db);
		free(e);
		any = true;
	}
	return any;
}

static void
show(struct dash_test *t)
{
	struct session *session = t->dash->session;
	size_t n;
	const struct result *const *results = session_test_results(session, &n);

	test_page_status(&t->dash->screen, session_test(session), session_test_running(session), session_test_now(session),
	    results, n);
}

static void
start(struct dash_test *t)
{
	struct screen *s = &t->dash->screen;
	struct test_page *p = &s->test;
	struct test_request request = {
		.workload = p->workload,
		.target = p->target,
		.runtime_ns = p->runtime_ns,
		.ramp_ns = UINT64_MAX,
		.full = p->full,
		.size_bytes = p->size_bytes,
		.workers = p->workers,
		.depth = p->depth,
		.array_cache_bytes = NAN,
		.confirm = test_page_confirm,
		.confirm_arg = p,
	};

	t->answered = p->answer[0] != '\0';
	p->asked = false;
	t->starting = session_test_start(t->dash->session, &request, NULL, p->why, sizeof(p->why)) == 0;
	if (t->starting)
		p->why[0] = '\0';
	else
		p->answer[0] = '\0';
}

/* Refused, or somebody is to be asked first: back to the form. */
static void
not_started(struct dash_test *t, const struct test_status *status)
{
	struct screen *s = &t->dash->screen;
	struct test_page *p = &s->test;

	snprintf(p->why, sizeof(p->why), "%s", p->asked ? "" : status->why);
	session_test_clear(t->dash->session);
	if (!p->asked)
		return;
	prompt_open(s, PROMPT_CONFIRM);
	if (t->answered)
		screen_notice(s, "the target is another now");
}

/* True: it is known now. */
static bool
watch_start(struct dash_test *t)
{
	const struct test_status *status = session_test(t->dash->session);
	bool running = session_test_running(t->dash->session);

	if (!t->starting || (running && status->test_uid == 0))
		return false;
	t->starting = false;
	t->dash->screen.test.answer[0] = '\0';
	if (!running && status->test_uid == 0)
		not_started(t, status);
	return true;
}

static bool
do_requests(struct dash_test *t)
{
	struct requests *r = &t->dash->screen.requests;
	struct requests want = *r;

	r->survey = r->describe = r->earlier = r->start_test = r->stop_test = r->clear_test = false;
	if (want.survey)
		send_out(t, TASK_SURVEY);
	if (want.describe)
		send_out(t, TASK_FACTS);
	if (want.earlier)
		send_out(t, TASK_EARLIER);
	if (want.start_test)
		start(t);
	if (want.stop_test)
		session_test_stop(t->dash->session);
	if (want.clear_test)
		session_test_clear(t->dash->session);
	return want.survey || want.describe || want.earlier || want.start_test || want.stop_test || want.clear_test;
}

struct dash_test *
dash_test_open(struct dash *d)
{
	struct dash_test *t = xcalloc(1, sizeof(*t));

	t->dash = d;
	if (pipe2(t->fds, O_CLOEXEC | O_NONBLOCK) < 0)
		t->fds[0] = t->fds[1] = -1;
	return t;
}

void
dash_test_close(struct dash_test *t)
{
	take_answers(t);
	if (t->fds[0] >= 0) {
		close(t->fds[0]);
		close(t->fds[1]);
	}
	free(t);
}

int
dash_test_fd(const struct dash_test *t)
{
	return t->fds[0];
}

bool
dash_test_step(struct dash_test *t)
{
	bool before = t->running, changed = do_requests(t);

	changed = take_answers(t) || changed;
	changed = watch_start(t) || changed;
	show(t);
	t->running = t->dash->screen.test.running;
	return changed || before != t->running;
}

void
dash_test_drain(struct dash_test *t)
{
	struct session *s = t->dash->session;
	uint64_t until = clock_ns() + DRAIN_NS;

	if (!session_test_running(s))
		return;
	session_test_stop(s);
	while (session_test_running(s) && clock_ns() < until) {
		struct pollfd fds[SESSION_FDS];
		int timeout, n = session_pollfds(s, fds, &timeout);

		poll(fds, (nfds_t)n, timeout >= 0 && timeout < 100 ? timeout : 100);
		interval_unref(session_step(s, false));
	}
	/* the mark of its end stands in the interval after it */
	interval_unref(session_step(s, true));
}

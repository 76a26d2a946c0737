/*
 * run exec: any command as a test. What it does is its own affair; what the storage did meanwhile is measured over exactly its time.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "core/column.h"
#include "core/kinds/kinds.h"
#include "core/xalloc.h"
#include "out/result_out.h"
#include "session/session.h"

/* With --json its output goes to stderr: stdout has nothing but the result. */
static pid_t
start(const struct options *o)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	if (o->json)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	execvp(o->args[1], o->args + 1);
	cmd_warn("%s: %s", o->args[1], strerror(errno));
	_exit(127);
}

static struct interval *
add(struct interval *sum, struct interval *v)
{
	struct interval *both;

	if (v == NULL)
		return sum;
	if (sum == NULL)
		return v;
	both = interval_add(sum, v);
	interval_unref(sum);
	interval_unref(v);
	return both;
}

/* The ticks until the command has ended. */
static struct interval *
watch(struct session *s, const char *name, int pidfd, pid_t pid)
{
	struct interval *sum = NULL;
	bool told = false;

	for (;;) {
		struct pollfd fds[SESSION_FDS + 2];
		int timeout, n = session_pollfds(s, fds, &timeout);

		fds[n] = (struct pollfd) { .fd = pidfd, .events = POLLIN };
		fds[n + 1] = (struct pollfd) { .fd = told ? -1 : cmd_stop_fd, .events = POLLIN };
		if (poll(fds, (nfds_t)n + 2, timeout) < 0 && errno != EINTR)
			break;
		if (fds[n].revents != 0)
			break;
		/* The terminal has told it too; a signal to us alone is handed on. */
		if (fds[n + 1].revents != 0) {
			kill(pid, cmd_stop == SIGINT ? SIGINT : SIGTERM);
			told = true;
		}
		sum = add(sum, session_step(s, false));
	}
	session_mark(s, "test %s: ended", name);
	return add(sum, session_step(s, true));
}

static int
by_iops(const void *a, const void *b)
{
	const struct exec_device *x = a, *y = b;
	double d = y->read_iops + y->write_iops - x->read_iops - x->write_iops;

	return d > 0 ? 1 : d < 0 ? -1 : 0;
}

static int
by_traffic(const void *a, const void *b)
{
	const struct exec_nic *x = a, *y = b;
	double d = y->rx_mbit_s + y->tx_mbit_s - x->rx_mbit_s - x->tx_mbit_s;

	return d > 0 ? 1 : d < 0 ? -1 : 0;
}

static void
take_devices(struct exec_run *run, const struct interval_table *t)
{
	for (size_t i = 0; t != NULL && i < t->n; i++) {
		const struct row *row = &t->rows[i];

		if (!(row->cells[DISK_READS] + row->cells[DISK_WRITES] > 0))
			continue;
		run->devices = xreallocarray(run->devices, run->n_devices + 1, sizeof(*run->devices));
		struct exec_device *d = &run->devices[run->n_devices++];

		snprintf(d->name, sizeof(d->name), "%s", row->object->name);
		d->read_iops = column_figure(row, "reads_s");
		d->write_iops = column_figure(row, "writes_s");
		d->read_mib_s = column_figure(row, "mbread_s");
		d->write_mib_s = column_figure(row, "mbwrtn_s");
		d->gavg_ms = column_figure(row, "gavg");
	}
	if (run->n_devices > 1)
		qsort(run->devices, run->n_devices, sizeof(*run->devices), by_iops);
}

static void
take_nics(struct exec_run *run, const struct interval_table *t)
{
	for (size_t i = 0; t != NULL && i < t->n; i++) {
		const struct row *row = &t->rows[i];

		if (!(row->cells[NIC_RX_BYTES] + row->cells[NIC_TX_BYTES] > 0))
			continue;
		run->nics = xreallocarray(run->nics, run->n_nics + 1, sizeof(*run->nics));
		struct exec_nic *nic = &run->nics[run->n_nics++];

		snprintf(nic->name, sizeof(nic->name), "%s", row->object->name);
		nic->rx_mbit_s = column_figure(row, "mbrx_s");
		nic->tx_mbit_s = column_figure(row, "mbtx_s");
	}
	if (run->n_nics > 1)
		qsort(run->nics, run->n_nics, sizeof(*run->nics), by_traffic);
}

static void
take_interval(struct exec_run *run, const struct interval *sum)
{
	const struct interval_table *cpu = interval_table(sum, &kind_cpu_total);

	run->seconds = (double)sum->ns / 1e9;
	run->host_pct = cpu != NULL && cpu->n > 0 ? column_figure(&cpu->rows[0], "used_pct") : NAN;
	take_devices(run, interval_table(sum, &kind_disk));
	take_nics(run, interval_table(sum, &kind_nic));
}

/* 0, or -errno where it could not be started or watched. */
static int
run_once(const struct options *o, struct session *s, const char *name, struct exec_run *run)
{
	struct interval *sum;
	struct rusage usage;
	int status, pidfd;
	pid_t pid;

	/* its time begins now */
	session_mark(s, "test %s: begins", name);
	interval_unref(session_step(s, true));
	pid = start(o);
	if (pid < 0)
		return -errno;
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0) {
		status = -errno;
		kill(pid, SIGTERM);
		waitpid(pid, NULL, 0);
		return status;
	}
	sum = watch(s, name, pidfd, pid);
	close(pidfd);
	while (wait4(pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return -errno;
	take_interval(run, sum);
	interval_unref(sum);
	run->exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	run->user_s = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6;
	run->system_s = (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec / 1e6;
	return 0;
}

static char *
command_text(const struct options *o)
{
	char *text = xstrdup(o->args[1]);

	for (int i = 2; i < o->n_args; i++) {
		char *longer = xasprintf("%s %s", text, o->args[i]);

		free(text);
		text = longer;
	}
	return text;
}

int
cmd_run_exec(const struct options *o, struct session *s)
{
	struct exec_run *runs = xcalloc(o->run.repeat, sizeof(*runs));
	char *command = command_text(o);
	int status = 0;
	unsigned n = 0;

	while (n < o->run.repeat && cmd_stop == 0 && status == 0) {
		int rc = run_once(o, s, o->run.name != NULL ? o->run.name : command, &runs[n]);

		if (rc < 0) {
			cmd_warn("%s: %s", o->args[1], strerror(-rc));
			status = 1;
			break;
		}
		if (runs[n].exit_status != 0)
			status = 1;
		n++;
	}
	if (n > 0 && o->json)
		exec_print_json(stdout, command, o->run.name, runs, n);
	else if (n > 0)
		exec_print_table(stdout, command, o->run.name, runs, n);
	if (n > 0 && status != 0)
		cmd_warn("%s: ended with status %d", o->args[1], runs[n - 1].exit_status);
	for (unsigned i = 0; i < n; i++) {
		free(runs[i].devices);
		free(runs[i].nics);
	}
	free(runs);
	free(command);
	return cmd_stop != 0 ? 130 : status;
}

/*
 * A command run as a test: its time, and what the machine did meanwhile.
 */
#include <math.h>
#include <stdlib.h>

#include "core/curve.h"
#include "core/xalloc.h"
#include "out/jline.h"
#include "out/page.h"
#include "out/result_out.h"

#define LABEL 14
#define SHOWN 8		/* devices and interfaces of a table */
#define N_DEVICE 6
#define N_NIC 3

static void
summary_seconds(struct summary *s, const struct exec_run *runs, size_t n)
{
	double *seconds = xcalloc(n, sizeof(*seconds));

	for (size_t i = 0; i < n; i++)
		seconds[i] = runs[i].seconds;
	summary_of(s, seconds, n);
	free(seconds);
}

static void
put_run(struct page *p, const struct exec_run *run, const char *label)
{
	page_label(p, label, LABEL);
	page_piece(p, "%.3f s", run->seconds);
	page_piece(p, "exit status %d", run->exit_status);
	if (!isnan(run->user_s) && !isnan(run->system_s))
		page_piece(p, "CPU %.2f s user, %.2f s system", run->user_s, run->system_s);
	if (!isnan(run->host_pct))
		page_piece(p, "%.1f %% of this host", run->host_pct);
	page_end(p);
}

static void
put_devices(struct page *p, const struct exec_run *run)
{
	struct page_column c[N_DEVICE] = {
		{ "DEVICE", LABEL, 0, true, false }, { "READS/s", 9, 90, false, false }, { "WRITES/s", 9, 90, false, false },
		{ "MiB/s read", 11, 80, false, false }, { "written", 9, 80, false, false }, { "GAVG ms", 9, 70, false, false },
	};

	if (run->n_devices == 0)
		return;
	page_end(p);
	page_fit(p, c, N_DEVICE);
	page_titles(p, c, N_DEVICE);
	for (size_t i = 0; i < run->n_devices && i < SHOWN; i++) {
		const struct exec_device *d = &run->devices[i];

		page_cell(p, &c[0], d->name);
		page_figure(p, &c[1], d->read_iops, 0);
		page_figure(p, &c[2], d->write_iops, 0);
		page_figure(p, &c[3], d->read_mib_s, 2);
		page_figure(p, &c[4], d->write_mib_s, 2);
		page_figure(p, &c[5], d->gavg_ms, 2);
		page_end(p);
	}
}

static void
put_nics(struct page *p, const struct exec_run *run)
{
	struct page_column c[N_NIC] = {
		{ "INTERFACE", LABEL, 0, true, false }, { "Mbit/s in", 10, 0, false, false }, { "out", 10, 0, false, false },
	};

	if (run->n_nics == 0)
		return;
	page_end(p);
	page_titles(p, c, N_NIC);
	for (size_t i = 0; i < run->n_nics && i < SHOWN; i++) {
		page_cell(p, &c[0], run->nics[i].name);
		page_figure(p, &c[1], run->nics[i].rx_mbit_s, 2);
		page_figure(p, &c[2], run->nics[i].tx_mbit_s, 2);
		page_end(p);
	}
}

static void
put_summary(struct page *p, const struct exec_run *runs, size_t n)
{
	struct summary s;

	summary_seconds(&s, runs, n);
	page_end(p);
	page_label(p, "of all", LABEL);
	page_piece(p, "mean %.3f s", s.mean);
	page_piece(p, "sd %.3f s", s.sd);
	page_piece(p, "CV %.1f %%%s", s.cv * 100, s.cv > SUMMARY_CV_FLAG ? " !" : "");
	page_piece(p, "min %.3f s", s.min);
	page_piece(p, "max %.3f s", s.max);
	page_end(p);
}

void
exec_print_table(FILE *file, const char *command, const char *name, const struct exec_run *runs, size_t n)
{
	struct page p;

	page_on_file(&p, file);
	page_text(&p, command);
	if (name != NULL)
		page_piece(&p, "\"%s\"", name);
	page_end(&p);
	for (size_t i = 0; i < n; i++) {
		char label[24];

		page_end(&p);
		snprintf(label, sizeof(label), n > 1 ? "run %zu" : "command", i + 1);
		put_run(&p, &runs[i], label);
		put_devices(&p, &runs[i]);
		put_nics(&p, &runs[i]);
	}
	if (n > 1)
		put_summary(&p, runs, n);
	page_free(&p);
}

static void
put_json_device(struct line *l, const char *key, const struct exec_device *d)
{
	jline_open(l, key, '{');
	jline_text(l, "name", d->name);
	jline_number(l, "read_iops", d->read_iops);
	jline_number(l, "write_iops", d->write_iops);
	jline_number(l, "read_mib_s", d->read_mib_s);
	jline_number(l, "write_mib_s", d->write_mib_s);
	jline_number(l, "gavg", d->gavg_ms);
	jline_close(l, '}');
}

/* "device" is the busiest one, as in the result of a load; "devices" all of them. */
static void
put_json_run(struct line *l, const char *command, const char *name, const struct exec_run *run)
{
	jline_open(l, NULL, '{');
	jline_text(l, "command", command);
	if (name != NULL)
		jline_text(l, "name", name);
	jline_number(l, "exit_status", run->exit_status);
	jline_number(l, "seconds", run->seconds);
	if (run->n_devices > 0)
		put_json_device(l, "device", &run->devices[0]);
	else
		jline_null(l, "device");
	jline_open(l, "devices", '[');
	for (size_t i = 0; i < run->n_devices; i++)
		put_json_device(l, NULL, &run->devices[i]);
	jline_close(l, ']');
	jline_open(l, "interfaces", '[');
	for (size_t i = 0; i < run->n_nics; i++) {
		jline_open(l, NULL, '{');
		jline_text(l, "name", run->nics[i].name);
		jline_number(l, "rx_mbit_s", run->nics[i].rx_mbit_s);
		jline_number(l, "tx_mbit_s", run->nics[i].tx_mbit_s);
		jline_close(l, '}');
	}
	jline_close(l, ']');
	jline_open(l, "cpu", '{');
	jline_number(l, "user_s", run->user_s);
	jline_number(l, "system_s", run->system_s);
	jline_number(l, "host_pct", run->host_pct);
	jline_close(l, '}');
	jline_close(l, '}');
}

void
exec_print_json(FILE *file, const char *command, const char *name, const struct exec_run *runs, size_t n)
{
	struct line l = { .buf = NULL };
	struct summary s;

	if (n == 1) {
		put_json_run(&l, command, name, &runs[0]);
	} else {
		jline_open(&l, NULL, '{');
		jline_open(&l, "runs", '[');
		for (size_t i = 0; i < n; i++)
			put_json_run(&l, command, name, &runs[i]);
		jline_close(&l, ']');
		summary_seconds(&s, runs, n);
		jline_open(&l, "summary", '{');
		jline_summary(&l, "seconds", &s, 1);
		jline_close(&l, '}');
		jline_close(&l, '}');
	}
	line_char(&l, '\n');
	fwrite(l.buf, 1, l.len, file);
	line_free(&l);
}

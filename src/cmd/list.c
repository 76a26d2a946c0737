/*
 * list: what there is, from one look at the machine.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "core/format.h"
#include "core/interval.h"
#include "core/kinds/kinds.h"
#include "core/xalloc.h"
#include "load/workload.h"
#include "sampler/sampler.h"
#include "sys/helper.h"

struct field {
	const char *title;
	enum label_id label;	/* LABEL_NONE: the name */
};

static const struct field adapter_fields[] = {
	{ "ADAPTER", LABEL_NONE }, { "DRIVER", LABEL_DRIVER }, { "TRANSPORT", LABEL_TRANSPORT }, { "STATE", LABEL_STATE },
	{ "SPEED", LABEL_SPEED }, { "PORTS", LABEL_PORTS }, { "AQLEN", LABEL_QUEUE_DEPTH }, { "ADDRESS", LABEL_ADDRESS },
	{ "MODEL", LABEL_MODEL }, { "PORT NAME", LABEL_PORT_NAME },
};

static const struct field device_fields[] = {
	{ "DEVICE", LABEL_NONE }, { "ROLE", LABEL_ROLE }, { "CLASS", LABEL_CLASS }, { "SIZE", LABEL_SIZE_BYTES },
	{ "DQLEN", LABEL_QUEUE_DEPTH }, { "PATHS", LABEL_PATHS }, { "STATE", LABEL_STATE }, { "BUILT ON", LABEL_SLAVES },
	{ "MAPPER", LABEL_MAPPER }, { "MODEL", LABEL_MODEL }, { "SERIAL", LABEL_SERIAL }, { "WWN", LABEL_WWN },
	{ "MOUNTED ON", LABEL_MOUNT }, { "NOTE", LABEL_NOTE },
};

static const struct field mount_fields[] = {
	{ "MOUNT", LABEL_NONE }, { "EXPORT", LABEL_EXPORT }, { "VERSION", LABEL_VERSION }, { "TRANSPORT", LABEL_TRANSPORT },
	{ "CONNECTIONS", LABEL_NCONNECT }, { "ADDRESS", LABEL_ADDRESS }, { "NOTE", LABEL_NOTE },
};

static const struct field session_fields[] = {
	{ "SESSION", LABEL_NONE }, { "HOST", LABEL_HOST }, { "DRIVER", LABEL_DRIVER }, { "STATE", LABEL_STATE },
	{ "PATHS", LABEL_PATHS }, { "DIGESTS", LABEL_DIGESTS }, { "PORTAL", LABEL_PORTAL }, { "TARGET", LABEL_TARGET },
	{ "INITIATOR", LABEL_INITIATOR }, { "ADDRESS", LABEL_ADDRESS }, { "NOTE", LABEL_NOTE },
};

/* What is listed by the labels of its objects. */
static const struct listing {
	const char *name;
	const struct kind *kind;
	const struct field *fields;
	size_t n;
} listings[] = {
	{ "adapters", &kind_adapter, adapter_fields, sizeof(adapter_fields) / sizeof(adapter_fields[0]) },
	{ "devices", &kind_disk, device_fields, sizeof(device_fields) / sizeof(device_fields[0]) },
	{ "mounts", &kind_nfs_mount, mount_fields, sizeof(mount_fields) / sizeof(mount_fields[0]) },
	{ "sessions", &kind_iscsi_session, session_fields, sizeof(session_fields) / sizeof(session_fields[0]) },
};

/* NULL where it is not known. */
static const char *
field_text(const struct object *o, const struct field *f, char bytes[static FORMAT_MAX])
{
	if (f->label == LABEL_NONE)
		return o->name;
	if (f->label == LABEL_ROLE)
		return object_role_text(o->role);
	if (f->label == LABEL_SIZE_BYTES && !isnan(object_number(o, f->label))) {
		format_bytes(bytes, object_number(o, f->label));
		return bytes;
	}
	return object_text(o, f->label);
}

/* Width of a text as it is printed, in characters. */
static size_t
width_of(const char *text)
{
	char *copy = xstrdup(text);
	size_t n = cmd_harmless(copy);

	free(copy);
	return n;
}

/* Width of a field's texts; 0 where no object has one: the column is left out. */
static size_t
field_width(const struct interval_table *t, const struct field *f, bool all)
{
	char bytes[FORMAT_MAX];
	size_t width = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct object *o = t->rows[i].object;
		const char *text = o->hidden && !all ? NULL : field_text(o, f, bytes);

		size_t n = text != NULL ? width_of(text) : 0;

		if (n > width)
			width = n;
	}
	return width > 0 && width < strlen(f->title) ? strlen(f->title) : width;
}

static void
print_text(const char *text, size_t width, bool last)
{
	char *copy = xstrdup(text);
	size_t n = cmd_harmless(copy);

	if (last)
		puts(copy);
	else
		printf("%s%*s", copy, (int)(width - n + 2), "");
	free(copy);
}

static void
print_objects(const struct interval *v, const struct listing *listing, bool all)
{
	const struct interval_table *t = interval_table(v, listing->kind);
	const struct field *fields = listing->fields;
	size_t n = listing->n;
	size_t widths[16] = { 0 }, last = 0;
	char bytes[FORMAT_MAX];

	for (size_t f = 0; t != NULL && f < n; f++) {
		widths[f] = field_width(t, &fields[f], all);
		if (widths[f] > 0)
			last = f;
	}
	/* Each has a name. */
	if (widths[0] == 0) {
		cmd_warn("no %s here%s", listing->kind->one, t != NULL && t->n > 0 ? " but hidden ones: -a" : "");
		return;
	}
	for (size_t f = 0; f <= last; f++)
		if (widths[f] > 0)
			print_text(fields[f].title, widths[f], f == last);
	for (size_t i = 0; i < t->n; i++) {
		const struct object *o = t->rows[i].object;

		if (o->hidden && !all)
			continue;
		for (size_t f = 0; f <= last; f++) {
			const char *text = widths[f] > 0 ? field_text(o, &fields[f], bytes) : NULL;

			if (widths[f] > 0)
				print_text(text != NULL ? text : "-", widths[f], f == last);
		}
	}
}

static void
print_probes(const struct sampler *s)
{
	const struct probe *p;

	printf("%-10s %-10s %8s  %s\n", "PROBE", "STATE", "US/TICK", "WHAT");
	for (size_t i = 0; (p = sampler_probe(s, i)) != NULL; i++) {
		printf("%-10s %-10s %8.0f  %s\n", p->ops->name, p->opened ? "running" : "off", (double)p->cost_ns / 1e3, p->ops->what);
		if (sampler_costly(s, i))
			printf("%-10s its reading took more than 1 %% of the interval\n", "");
		if (p->why[0] != '\0') {
			printf("%-10s ", "");
			print_text(p->why, 0, true);
		}
		if (p->note[0] != '\0')
			printf("%-10s %s\n", "", p->note);
	}
}

static int
print_columns(void)
{
	for (size_t i = 0; kind_table[i] != NULL; i++) {
		const struct kind *kind = kind_table[i];

		printf("%s: %s\n", kind->key, kind->what);
		for (size_t c = 0; c < kind->n_columns; c++)
			printf("  %-18s %-9s %-22s %s\n", kind->columns[c].key, kind->columns[c].title,
			    kind->columns[c].unit[0] != '\0' ? kind->columns[c].unit : "text", kind->columns[c].help);
	}
	return 0;
}

static int
print_workloads(void)
{
	printf("%-20s  %-44s  %s\n", "NAME", "PATTERN", "SOURCE");
	for (size_t i = 0; workload_table[i] != NULL; i++)
		printf("%-20s  %-44s  %s\n", workload_table[i]->name, workload_table[i]->pattern, workload_table[i]->source);
	return 0;
}

/* Answers to what may hang: they are few, and none takes longer than the limit. */
static void
settle(struct helper *helper)
{
	int timeout;

	while (helper != NULL && (timeout = helper_poll(helper)) >= 0) {
		struct pollfd fd = { .fd = helper_fd(helper), .events = POLLIN };

		poll(&fd, 1, timeout);
	}
}

int
cmd_list(const struct options *o, struct env *env)
{
	struct interval *v = NULL;
	struct sampler *s;

	if (strcmp(o->list, "columns") == 0)
		return print_columns();
	if (strcmp(o->list, "workloads") == 0)
		return print_workloads();
	if (strcmp(o->list, "runs") == 0)
		return cmd_list_runs(o);
	env->detail_budget_ns = UINT64_MAX;
	s = sampler_open(env, probe_table, o->interval_ns);
	if (s == NULL) {
		cmd_warn("no timer: %s", strerror(errno));
		return 1;
	}
	settle(env->helper);
	sampler_tick(s, true, &v);
	if (strcmp(o->list, "probes") == 0)
		print_probes(s);
	for (size_t i = 0; i < sizeof(listings) / sizeof(listings[0]); i++)
		if (strcmp(o->list, listings[i].name) == 0)
			print_objects(v, &listings[i], o->all);
	interval_unref(v);
	sampler_close(s);
	return 0;
}

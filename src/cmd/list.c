/*
 * list: what there is, from one look at the machine.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "core/format.h"
#include "core/interval.h"
#include "core/kinds/kinds.h"
#include "sampler/sampler.h"
#include "sys/helper.h"

struct field {
	const char *title;
	enum label_id label;	/* LABEL_NONE: the name */
	int width;
};

static const struct field adapter_fields[] = {
	{ "ADAPTER", LABEL_NONE, 14 }, { "DRIVER", LABEL_DRIVER, 16 }, { "TRANSPORT", LABEL_TRANSPORT, 9 },
	{ "STATE", LABEL_STATE, 10 }, { "SPEED", LABEL_SPEED, 9 }, { "PORTS", LABEL_PORTS, 5 },
	{ "AQLEN", LABEL_QUEUE_DEPTH, 6 }, { "ADDRESS", LABEL_ADDRESS, 24 }, { "MODEL", LABEL_MODEL, 0 },
};

static const struct field device_fields[] = {
	{ "DEVICE", LABEL_NONE, 14 }, { "ROLE", LABEL_ROLE, 9 }, { "CLASS", LABEL_CLASS, 10 }, { "SIZE", LABEL_SIZE_BYTES, 9 },
	{ "DQLEN", LABEL_QUEUE_DEPTH, 5 }, { "PATHS", LABEL_PATHS, 5 }, { "MAPPER", LABEL_MAPPER, 16 },
	{ "MODEL", LABEL_MODEL, 18 }, { "SERIAL", LABEL_SERIAL, 20 }, { "WWN", LABEL_WWN, 36 }, { "MOUNTED ON", LABEL_MOUNT, 0 },
};

/* Names come from devices and users; a terminal must not be told to do something by them. */
static void
print_text(const char *text, int width)
{
	int n = 0;

	for (; *text != '\0'; text++, n++)
		putchar((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text);
	printf("%*s", n < width ? width - n + 1 : 1, "");
}

static void
print_field(const struct object *o, const struct field *f)
{
	const char *text = f->label == LABEL_NONE ? o->name : object_text(o, f->label);
	char bytes[FORMAT_MAX];

	if (text == NULL) {
		text = f->label == LABEL_ROLE ? object_role_text(o->role) : "-";
	} else if (f->label == LABEL_SIZE_BYTES && !isnan(object_number(o, f->label))) {
		format_bytes(bytes, object_number(o, f->label));
		text = bytes;
	}
	print_text(text, f->width);
}

static void
print_objects(const struct interval *v, const struct kind *kind, const struct field *fields, size_t n, bool all)
{
	const struct interval_table *t = interval_table(v, kind);

	for (size_t f = 0; f < n; f++)
		printf("%-*s ", fields[f].width, fields[f].title);
	putchar('\n');
	for (size_t i = 0; t != NULL && i < t->n; i++) {
		if (t->rows[i].object->hidden && !all)
			continue;
		for (size_t f = 0; f < n; f++)
			print_field(t->rows[i].object, &fields[f]);
		putchar('\n');
	}
}

static void
print_probes(const struct sampler *s)
{
	const struct probe *p;

	printf("%-10s %-10s %8s  %s\n", "PROBE", "STATE", "US/TICK", "WHAT");
	for (size_t i = 0; (p = sampler_probe(s, i)) != NULL; i++) {
		printf("%-10s %-10s %8.0f  %s\n", p->ops->name, p->opened ? "running" : "off", (double)p->cost_ns / 1e3, p->ops->what);
		if (p->why[0] != '\0')
			printf("%-10s %s\n", "", p->why);
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
	env->detail_budget_ns = UINT64_MAX;
	s = sampler_open(env, probe_table, o->interval_ns);
	if (s == NULL) {
		cmd_warn("no timer: %s", strerror(errno));
		return 1;
	}
	settle(env->helper);
	while (sampler_tick(s, true, &v) == 0)
		poll(NULL, 0, 10);
	if (strcmp(o->list, "probes") == 0)
		print_probes(s);
	else if (strcmp(o->list, "adapters") == 0)
		print_objects(v, &kind_adapter, adapter_fields, sizeof(adapter_fields) / sizeof(adapter_fields[0]), o->all);
	else
		print_objects(v, &kind_disk, device_fields, sizeof(device_fields) / sizeof(device_fields[0]), o->all);
	interval_unref(v);
	sampler_close(s);
	return 0;
}

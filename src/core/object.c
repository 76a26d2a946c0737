#include "core/object.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"

uint64_t
object_next_uid(void)
{
	/* The only state here: numbers are handed out once per process, whoever asks. */
	static atomic_uint_fast64_t last;

	return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

struct object *
object_new(const struct kind *kind, uint64_t uid, const char *name, const char *identity)
{
	struct object *o = xcalloc(1, sizeof(*o));

	atomic_init(&o->refs, 1);
	o->uid = uid != 0 ? uid : object_next_uid();
	o->kind = kind;
	o->name = xstrdup(name);
	o->identity = xstrdup(identity);
	return o;
}

struct object *
object_clone(const struct object *from)
{
	struct object *o = object_new(from->kind, from->uid, from->name, from->identity);

	o->parent = from->parent;
	o->counts_in = from->counts_in;
	o->role = from->role;
	o->hidden = from->hidden;
	for (unsigned i = 0; i < from->n_labels; i++)
		object_label_both(o, from->labels[i].id, from->labels[i].text, from->labels[i].number);
	return o;
}

static struct label *
find_label(const struct object *o, enum label_id id)
{
	for (unsigned i = 0; i < o->n_labels; i++)
		if (o->labels[i].id == id)
			return &o->labels[i];
	return NULL;
}

static void
remove_label(struct object *o, enum label_id id)
{
	struct label *l = find_label(o, id);

	if (l == NULL)
		return;
	free(l->text);
	o->n_labels--;
	memmove(l, l + 1, (size_t)(o->labels + o->n_labels - l) * sizeof(*l));
}

void
object_label_both(struct object *o, enum label_id id, const char *text, double number)
{
	struct label *l;

	if (text == NULL || text[0] == '\0') {
		remove_label(o, id);
		return;
	}
	l = find_label(o, id);
	if (l == NULL) {
		o->labels = xreallocarray(o->labels, o->n_labels + 1u, sizeof(*l));
		l = &o->labels[o->n_labels++];
		*l = (struct label){ .id = id };
	}
	/* The new text may be the old one, or a part of it. */
	char *copy = xstrdup(text);
	free(l->text);
	l->text = copy;
	l->number = number;
}

/* The locale of LC_NUMERIC is never set, so strtod reads a point. */
static double
text_number(const char *text)
{
	char *end;
	double number = strtod(text, &end);

	return end != text && *end == '\0' ? number : NAN;
}

void
object_label(struct object *o, enum label_id id, const char *text)
{
	object_label_both(o, id, text, text != NULL ? text_number(text) : NAN);
}

void
object_labelf(struct object *o, enum label_id id, const char *format, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	object_label(o, id, text);
}

struct object *
object_ref(struct object *o)
{
	atomic_fetch_add_explicit(&o->refs, 1, memory_order_relaxed);
	return o;
}

void
object_unref(struct object *o)
{
	if (o == NULL || atomic_fetch_sub_explicit(&o->refs, 1, memory_order_acq_rel) != 1)
		return;
	for (unsigned i = 0; i < o->n_labels; i++)
		free(o->labels[i].text);
	free(o->labels);
	free(o->name);
	free(o->identity);
	free(o);
}

const char *
object_text(const struct object *o, enum label_id id)
{
	const struct label *l = find_label(o, id);

	return l != NULL ? l->text : NULL;
}

double
object_number(const struct object *o, enum label_id id)
{
	const struct label *l = find_label(o, id);

	return l != NULL ? l->number : NAN;
}

bool
object_same(const struct object *a, const struct object *b)
{
	if (a->kind != b->kind || a->parent != b->parent || a->counts_in != b->counts_in ||
	    a->role != b->role || a->hidden != b->hidden || a->n_labels != b->n_labels ||
	    strcmp(a->name, b->name) != 0 || strcmp(a->identity, b->identity) != 0)
		return false;
	for (unsigned i = 0; i < a->n_labels; i++) {
		const char *text = object_text(b, a->labels[i].id);

		if (text == NULL || strcmp(text, a->labels[i].text) != 0)
			return false;
	}
	return true;
}

const char *
object_display_name(const struct object *o, enum naming naming)
{
	const char *name = NULL;

	/* A flow is told from others by nothing less than its name. */
	if (naming == NAMING_MAPPER && object_text(o, LABEL_CLIENT) == NULL) {
		name = object_text(o, LABEL_MAPPER);
		if (name == NULL)
			name = object_text(o, LABEL_MOUNT);
		if (name == NULL)
			name = object_text(o, LABEL_EXPORT);
		if (name == NULL)
			name = object_text(o, LABEL_TARGET);
	} else if (naming == NAMING_WWN) {
		name = object_text(o, LABEL_WWN);
	}
	return name != NULL ? name : o->name;
}

static const char *const role_text[ROLE_COUNT] = {
	[ROLE_BASE] = "base",
	[ROLE_HEAD] = "head",
	[ROLE_PATH] = "path",
	[ROLE_LAYER] = "layer",
	[ROLE_UNCOUNTED] = "uncounted",
};

const char *
object_role_text(enum object_role role)
{
	return role_text[role];
}

enum object_role
object_role_of(const char *text)
{
	for (int role = 0; text != NULL && role < ROLE_COUNT; role++)
		if (strcmp(text, role_text[role]) == 0)
			return (enum object_role)role;
	return ROLE_BASE;
}

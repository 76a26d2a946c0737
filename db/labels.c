#include "db/labels.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"

#define NUMBER_SUFFIX "_number"

/* Length of the UTF-8 character at p, or 0 where there is none. */
static size_t
utf8_length(const char *p)
{
	size_t n;
	json_t *s;

	for (n = 1; n <= 4 && p[n - 1] != '\0'; n++) {
		s = json_stringn(p, n);
		if (s != NULL) {
			json_decref(s);
			return n;
		}
	}
	return 0;
}

static json_t *
text_value(const char *text)
{
	json_t *value = json_string(text);
	char *clean, *at;

	if (value != NULL)
		return value;
	/* Mount points and model names are bytes, whatever their makers meant by them. */
	clean = at = xmalloc(3 * strlen(text) + 1);
	while (*text != '\0') {
		size_t n = utf8_length(text);

		memcpy(at, n > 0 ? text : "\xef\xbf\xbd", n > 0 ? n : 3);
		at += n > 0 ? n : 3;
		text += n > 0 ? n : 1;
	}
	*at = '\0';
	value = json_string(clean);
	free(clean);
	return value;
}

/* A whole number that text says in the one way that a number is written. */
static bool
is_plain_integer(const char *text, double number)
{
	char plain[32];

	if (!(fabs(number) < 1e15) || number != floor(number))
		return false;
	snprintf(plain, sizeof(plain), "%.0f", number);
	return strcmp(plain, text) == 0;
}

static double
number_in(const char *text)
{
	char *end;
	double number = strtod(text, &end);

	return end != text && *end == '\0' ? number : NAN;
}

static json_t *
number_value(double number)
{
	return fabs(number) < 1e15 && number == floor(number) ? json_integer((json_int_t)number) : json_real(number);
}

static void
encode_label(json_t *into, const struct label *l)
{
	const struct label_info *info = &label_table[l->id];
	char key[64];

	if (info->number && is_plain_integer(l->text, l->number)) {
		json_object_set_new(into, info->key, json_integer((json_int_t)l->number));
		return;
	}
	json_object_set_new(into, info->key, text_value(l->text));
	if (!isfinite(l->number) || l->number == number_in(l->text))
		return;
	snprintf(key, sizeof(key), "%s" NUMBER_SUFFIX, info->key);
	json_object_set_new(into, key, number_value(l->number));
}

char *
labels_encode(const struct object *o)
{
	json_t *root = json_object();
	char *text;

	if (o->role != ROLE_BASE && object_text(o, LABEL_ROLE) == NULL)
		json_object_set_new(root, label_table[LABEL_ROLE].key, json_string(object_role_text(o->role)));
	for (unsigned i = 0; i < o->n_labels; i++)
		encode_label(root, &o->labels[i]);
	text = json_dumps(root, JSON_COMPACT);
	json_decref(root);
	return text != NULL ? text : xstrdup("{}");
}

static void
decode_label(struct object *o, enum label_id id, const json_t *value, const json_t *number)
{
	const char *text = json_string_value(value);

	if (json_is_integer(value))
		object_labelf(o, id, "%lld", (long long)json_integer_value(value));
	else if (text != NULL && json_is_number(number))
		object_label_both(o, id, text, json_number_value(number));
	else if (text != NULL)
		object_label(o, id, text);
}

void
labels_decode(struct object *o, const char *json, size_t len)
{
	json_t *root = json_loadb(json, len, 0, NULL), *value;
	const char *key;

	json_object_foreach(root, key, value) {
		enum label_id id = label_find(key);
		char number[64];

		if (id == LABEL_NONE)
			continue;
		snprintf(number, sizeof(number), "%s" NUMBER_SUFFIX, key);
		decode_label(o, id, value, json_object_get(root, number));
	}
	json_decref(root);
	o->role = object_role_of(object_text(o, LABEL_ROLE));
}

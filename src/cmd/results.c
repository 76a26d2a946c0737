#include "cmd/results.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "db/runs.h"
#include "db/store.h"
#include "out/result_out.h"

#define MAX_BYTES ((size_t)256 << 20)	/* no honest result is as long */

char *
results_path(const struct options *o)
{
	char *path = o->db != NULL ? xstrdup(o->db) : store_default_read_path();

	if (path == NULL)
		cmd_warn("no test has been run yet, or none was recorded; --db names another file");
	return path;
}

void
results_clear(struct results *list)
{
	for (size_t i = 0; i < list->n; i++)
		result_free(list->r[i]);
	free(list->r);
	*list = (struct results){ .r = NULL };
}

static void
append(struct results *list, struct result **more, size_t n)
{
	list->r = xreallocarray(list->r, list->n + n, sizeof(*list->r));
	memcpy(list->r + list->n, more, n * sizeof(*more));
	list->n += n;
}

int
results_number(const char *word, int64_t *id)
{
	size_t digits = strspn(word, "0123456789");

	if (digits == 0 || digits > 18 || word[digits] != '\0')
		return -EINVAL;
	*id = strtoll(word, NULL, 10);
	return *id > 0 ? 0 : -EINVAL;
}

static int
add_stored(struct results *list, const struct options *o, int64_t id)
{
	char *path = results_path(o), why[300];
	struct result *r;

	if (path == NULL)
		return 1;
	r = runs_read(path, id, why, sizeof(why));
	free(path);
	if (r == NULL) {
		cmd_warn("%s", why);
		return 1;
	}
	append(list, &r, 1);
	return 0;
}

int
results_add_last(struct results *list, const struct options *o)
{
	return add_stored(list, o, 0);
}

/* The whole file; NULL with errno. */
static char *
slurp(const char *path, size_t *len)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
	size_t cap = 1 << 16, n;
	char *text;

	if (file == NULL)
		return NULL;
	text = xmalloc(cap);
	*len = 0;
	while (*len <= MAX_BYTES && (n = fread(text + *len, 1, cap - *len, file)) > 0) {
		*len += n;
		if (*len == cap)
			text = xreallocarray(text, cap *= 2, 1);
	}
	if (*len > MAX_BYTES)
		errno = EFBIG;
	if (*len > MAX_BYTES || ferror(file)) {
		free(text);
		text = NULL;
	}
	if (file != stdin)
		fclose(file);
	return text;
}

static int
add_file(struct results *list, const char *path)
{
	struct result **r;
	char why[200], *text;
	size_t len, n;

	errno = 0;
	text = slurp(path, &len);
	if (text == NULL) {
		cmd_warn("%s: %s", path, strerror(errno));
		return 1;
	}
	n = result_parse_json(text, len, &r, why, sizeof(why));
	free(text);
	if (n == 0) {
		cmd_warn("%s: %s", path, why);
		return 1;
	}
	append(list, r, n);
	free(r);
	return 0;
}

int
results_add(struct results *list, const struct options *o, const char *word)
{
	int64_t id;

	return results_number(word, &id) == 0 ? add_stored(list, o, id) : add_file(list, word);
}

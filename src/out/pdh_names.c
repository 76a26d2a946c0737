#include "out/pdh_names.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "out/escape.h"

/* How often a name stands within its object. */
struct taken {
	char *key;	/* object and name, in lower case */
	size_t times;
};

static int
by_key(const void *a, const void *b)
{
	return strcmp(((const struct taken *)a)->key, ((const struct taken *)b)->key);
}

static void
taken_free(void *p)
{
	free(((struct taken *)p)->key);
	free(p);
}

/* Counts one more use of a name. */
static struct taken *
take(void **tree, const struct pdh_object *object, const char *name)
{
	struct taken *new = xcalloc(1, sizeof(*new)), **found;

	new->key = xasprintf("%s\\%s", object->name, name != NULL ? name : "");
	for (char *p = new->key; *p != '\0'; p++)
		if (*p >= 'A' && *p <= 'Z')	/* tolower() would ask the locale */
			*p += 'a' - 'A';
	found = tsearch(new, tree, by_key);
	if (*found != new)
		taken_free(new);
	(*found)->times++;
	return *found;
}

static void
rename_instance(struct pdh_instance *instance, char *name)
{
	free(instance->name);
	instance->name = name;
}

/* Names shared by several (one WWN on four paths) get the kernel's name behind them. */
static void
tell_apart(struct pdh_plan *plan, const struct choice *choice)
{
	void *tree = NULL;

	for (size_t i = 0; i < plan->n; i++)
		take(&tree, plan->instances[i].object, plan->instances[i].name);
	for (size_t i = 0; i < plan->n; i++) {
		struct pdh_instance *instance = &plan->instances[i];
		char *kernel = escape_pdh(choice->tables[instance->table].rows[instance->row].object->name);

		/* This is one more use: two for a name that only this instance has. */
		if (take(&tree, instance->object, instance->name)->times > 2 && instance->name != NULL &&
		    strcmp(kernel, instance->name) != 0)
			rename_instance(instance, xasprintf("%s-%s", instance->name, kernel));
		free(kernel);
	}
	tdestroy(tree, taken_free);
}

/* What is still the same ("a,b" and "a(b") is numbered. */
static void
make_unique(struct pdh_plan *plan)
{
	void *tree = NULL;

	for (size_t i = 0; i < plan->n; i++) {
		struct pdh_instance *instance = &plan->instances[i];
		char *base = xstrdup(instance->name != NULL ? instance->name : "");

		for (int n = 2; take(&tree, instance->object, instance->name)->times > 1; n++)
			rename_instance(instance, xasprintf("%s_%d", base, n));
		free(base);
	}
	tdestroy(tree, taken_free);
}

void
pdh_names_settle(struct pdh_plan *plan, const struct choice *choice)
{
	tell_apart(plan, choice);
	make_unique(plan);
}

/*
 * Rows come and go, the columns stay: which row is whose now.
 */
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "out/note.h"
#include "out/pdh_plan.h"

#define NAMES_IN_A_NOTE 8

void
pdh_plan_remember(struct pdh_plan *plan, const struct choice *choice)
{
	size_t total = 0;

	for (size_t i = 0; i < choice->n; i++)
		total += choice->tables[i].n;
	uidmap_clear(&plan->seen);
	uidmap_init(&plan->seen, total);
	for (size_t i = 0; i < choice->n; i++)
		for (size_t k = 0; k < choice->tables[i].n; k++)
			if (choice->tables[i].rows[k].chosen)
				uidmap_put(&plan->seen, choice->tables[i].rows[k].object->uid, 0);
}

/* What is the same thing: identities are told apart within their kind only. FNV-1a, never 0. */
static uint64_t
identity_hash(const struct kind *kind, const char *identity)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (uintptr_t)kind;

	for (; *identity != '\0'; identity++)
		hash = (hash ^ (unsigned char)*identity) * UINT64_C(0x100000001b3);
	return hash | 1;
}

/* The identities of all rows, to their index in choice->places. */
static void
map_identities(struct uidmap *map, const struct choice *choice)
{
	size_t at = 0;

	for (size_t i = 0; i < choice->n; i++)
		at += choice->tables[i].n;
	uidmap_init(map, at);
	at = 0;
	for (size_t i = 0; i < choice->n; i++)
		for (size_t k = 0; k < choice->tables[i].n; k++)
			uidmap_put(map, identity_hash(choice->tables[i].kind, choice->tables[i].rows[k].object->identity), at++);
}

/*
 * The same thing under another uid: plugged in again, or in the next recording of a store. NULL where it is not
 * there. The map is made when first needed.
 */
static const struct choice_place *
find_again(const struct pdh_instance *instance, const struct choice *choice, struct uidmap *map)
{
	const struct choice_place *place;
	const struct object *object;
	size_t at;

	if (map->keys == NULL)
		map_identities(map, choice);
	at = uidmap_get(map, identity_hash(instance->kind, instance->identity));
	if (at == SIZE_MAX)
		return NULL;
	place = &choice->places[at];
	object = choice->tables[place->table].rows[place->row].object;
	return object->kind == instance->kind && strcmp(object->identity, instance->identity) == 0 ? place : NULL;
}

static void
find_instances(struct pdh_plan *plan, const struct out_options *o, const struct choice *choice)
{
	struct note gone = { .options = o, .lead = "no figures from now on, printed as 0:", .limit = NAMES_IN_A_NOTE };
	struct uidmap identities = { 0 };

	for (size_t i = 0; i < plan->n; i++) {
		struct pdh_instance *instance = &plan->instances[i];
		const struct choice_place *at = choice_find(choice, instance->uid);

		if (at == NULL)
			at = find_again(instance, choice, &identities);
		if (at == NULL && instance->row != PDH_NOWHERE)
			note_add(&gone, instance->name != NULL ? instance->name : instance->object->name);
		if (at != NULL)
			instance->uid = choice->tables[at->table].rows[at->row].object->uid;
		instance->table = at != NULL ? at->table : 0;
		instance->row = at != NULL ? at->row : PDH_NOWHERE;
	}
	note_end(&gone);
	uidmap_clear(&identities);
}

static bool
has_columns(const struct pdh_plan *plan, uint64_t uid)
{
	for (size_t i = 0; i < plan->n; i++)
		if (plan->instances[i].uid == uid)
			return true;
	return false;
}

/* What could not stand in the file in the interval before, and has no columns. */
static void
note_newcomers(const struct pdh_plan *plan, const struct out_options *o, const struct choice *choice)
{
	struct note came = { .options = o, .lead = "came after the header, no columns for:", .limit = NAMES_IN_A_NOTE };

	for (size_t i = 0; i < choice->n; i++) {
		const struct choice_table *t = &choice->tables[i];

		for (size_t k = 0; t->kind->n_pdh > 0 && k < t->n; k++) {
			const struct object *object = t->rows[k].object;

			if (t->rows[k].chosen && uidmap_get(&plan->seen, object->uid) == SIZE_MAX &&
			    !has_columns(plan, object->uid))
				note_add(&came, object->name);
		}
	}
	note_end(&came);
}

void
pdh_plan_follow(struct pdh_plan *plan, const struct out_options *o, const struct choice *choice)
{
	find_instances(plan, o, choice);
	note_newcomers(plan, o, choice);
	pdh_plan_remember(plan, choice);
}

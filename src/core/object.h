/*
 * An object: one thing that is watched (a disk, a core, an adapter). Immutable once published and
 * counted by references, so snapshots, intervals, views and the store's thread share it without a
 * lock. When a label changes, a new version with the same uid takes its place. Any thread.
 */
#ifndef CORE_OBJECT_H
#define CORE_OBJECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/kind.h"
#include "core/label.h"

struct label {
	enum label_id id;
	double number;	/* NaN where the text is no number */
	char *text;
};

struct object {
	atomic_uint refs;
	uint64_t uid;		/* the same for all versions of the same thing in this process; never 0 */
	const struct kind *kind;
	char *name;		/* kernel name: "sda", "nvme0n1", "host0", "cpu0"; the key in exports */
	/*
	 * What makes it the same thing at another time: name + WWN or serial; without one boot id +
	 * diskseq, without that a generation number.
	 */
	char *identity;
	uint64_t parent;	/* uid, for expansion; 0: none */
	/*
	 * uid of the roll-up it is counted in; 0: none. As with the role, a change makes it another thing
	 * with another uid, or the sum of two roll-ups would not be the roll-up of the sum.
	 */
	uint64_t counts_in;
	enum object_role role;
	bool hidden;		/* empty loop, ram, zram: shown with `a` only */
	unsigned n_labels;
	struct label *labels;
};

/*
 * A new object with one reference, to be filled with object_label() and the fields before it is
 * shared. uid 0 takes the next free one.
 */
struct object *object_new(const struct kind *, uint64_t uid, const char *name, const char *identity);
/* A copy that may be changed: same uid, one reference. */
struct object *object_clone(const struct object *);
/* Sets a label; NULL or "" removes it. Only before the object is shared. */
void object_label(struct object *, enum label_id, const char *text);
__attribute__((format(printf, 3, 4)))
void object_labelf(struct object *, enum label_id, const char *format, ...);
/* Same text as object_label, but with a number of its own beside it ("16 Gbit", 16e9). */
void object_label_both(struct object *, enum label_id, const char *text, double number);

struct object *object_ref(struct object *);
void object_unref(struct object *);	/* NULL is fine */

/* NULL where the object has no such label. Valid as long as the object. */
const char *object_text(const struct object *, enum label_id);
/* NaN where it has none or it is no number. */
double object_number(const struct object *, enum label_id);
/* Same name, links, role and labels: a new version is not needed. */
bool object_same(const struct object *, const struct object *);

/* "base", "head", "path" ...; the role of such a text, ROLE_BASE for anything else. */
const char *object_role_text(enum object_role);
enum object_role object_role_of(const char *text);	/* NULL is fine */

/* A number no other object of this process has or had. */
uint64_t object_next_uid(void);

enum naming { NAMING_KERNEL, NAMING_MAPPER, NAMING_WWN };
/* The name as people want it; falls back to the kernel name. Valid as long as the object. */
const char *object_display_name(const struct object *, enum naming);

#endif

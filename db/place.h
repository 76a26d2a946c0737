/*
 * Where the file lies, and who may write it. All of it may hang on a dead file system: for the store's own
 * thread, or before anything else is started.
 */
#ifndef DB_PLACE_H
#define DB_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* "nfs", "smb", "9p" ... for an f_type of statfs that no WAL may lie on, else NULL. Pure. */
const char *place_network(unsigned long f_type);

/*
 * Makes the missing directories above a file: 0700, below /var/lib/stortop 0750. 0 or -errno with a reason that
 * names the directory.
 */
int place_make_parents(const char *path, char *why, size_t size);
/* The kind of network file system that a file to be made in an existing directory would lie on, or NULL. */
const char *place_on_network(const char *path);
/*
 * A directory BASE/stortop-UID of ours alone (0700, not a link), made where missing; *out gets the place of a
 * file in it with the last name of `path`, malloc'd. 0 or -errno with a reason.
 */
int place_fallback(const char *base, const char *path, char **out, char *why, size_t size);
/* Makes an empty file with the rights of a store (0600, the service's 0640) unless there is one. 0 or -errno. */
int place_make_file(const char *path);

/*
 * Takes PATH-lock (of what a link leads to), so that a file has one recorder. Not the file itself: closing any descriptor
 * of it would drop SQLite's own locks. A descriptor and the lock's name, malloc'd, or -errno with a reason and NULL;
 * -EBUSY: another recorder. The lock lives as long as the program that holds it; place_unlock() removes it and frees the name.
 */
int place_lock(const char *path, char **name, char *why, size_t size);
void place_unlock(int lock, char *name);	/* -1, NULL is fine */

#endif

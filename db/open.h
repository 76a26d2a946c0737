/*
 * Opens a recorded file for reading, also while another program writes it, and whatever it holds. One thread.
 */
#ifndef DB_OPEN_H
#define DB_OPEN_H

#include <sqlite3.h>
#include <stddef.h>

#include "db/layout.h"

/*
 * 0, or -errno with a message that names the file: no such file, not a stortop database, newer than this program and
 * unreadable ... *out must be closed in either case. *layout is what the file has, to be freed; NULL on failure.
 */
int open_read(const char *path, sqlite3 **out, struct layout **layout, char *why, size_t size);
/* The last failure on it, as a message that names the file. -EBADMSG, or -EIO. */
int open_failed(sqlite3 *, int rc, const char *path, char *why, size_t size);

#endif

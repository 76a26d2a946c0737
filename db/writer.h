/*
 * The store's file, from finding its place to the last row: what the thread of the store does. May hang on
 * a dead disk. One thread.
 */
#ifndef DB_WRITER_H
#define DB_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/interval.h"
#include "db/store.h"

struct run_item;
struct writer;

/* The options with strings of its own; path NULL: no default place is known. */
struct writer_options {
	char *path, *source, *host, *boot_id;
	uint64_t full_rate_s, minute_s, cap_bytes;
};

void writer_options_copy(struct writer_options *, const struct store_options *);
void writer_options_clear(struct writer_options *);

struct writer *writer_new(const struct writer_options *);	/* which must outlive it */
/* Opens or makes the file. 0 or -errno; writer_why() says what and where, also of a fallback that went well. */
int writer_open(struct writer *);
/*
 * After -EBUSY of writer_open(): another program records to the file, and results are put beside its ticks. 0 or -errno, when they
 * cannot be: no right to write, or a file without tables for them.
 */
int writer_open_beside(struct writer *);
/* -EBUSY: another program holds the file, try again. Any other failure is final. */
int writer_put(struct writer *, const struct interval *, uint64_t dropped);
/* The same of a result; *id is its number, 0 where it could not be stored. */
int writer_put_run(struct writer *, const struct run_item *, int64_t *id);
/*
 * A small step of thinning and deleting what is old, not of what ended after hold_ms; *tidy: there is nothing more to do for now.
 */
int writer_retain(struct writer *, int64_t hold_ms, bool *tidy);
/* The recording ends here. */
int writer_end(struct writer *);
void writer_free(struct writer *);	/* closes the file */

const char *writer_path(const struct writer *);	/* where it records, a fallback too; "" where unknown */
const char *writer_why(const struct writer *);	/* "" where all is well */
uint64_t writer_bytes(const struct writer *);	/* of the file */

#endif

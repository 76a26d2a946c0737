/*
 * Intervals made by hand, and what a text sink made of them.
 */
#ifndef TESTS_OUT_CANNED_H
#define TESTS_OUT_CANNED_H

#include "core/interval.h"
#include "core/kinds/kinds.h"
#include "out/out.h"

/* 2018-04-24 10:49:12.250 UTC */
#define CANNED_MS INT64_C(1524566952250)
#define CANNED_S UINT64_C(1000000000)

/* An interval of these seconds that ends `after` seconds past CANNED_MS. */
struct interval *canned_interval(double seconds, int after);
/* A table of these objects (a reference each is taken), all cells 0. */
struct interval_table *canned_table(struct interval *, const struct kind *, size_t n, struct object *const *);
struct object *canned_disk(const char *name);

/* A sink that writes to a temporary file, and the notes it made, a line each. */
struct canned {
	struct out_options options;
	struct sink *sink;
	char notes[8192];
};
/* Options may be changed between the two. */
void canned_begin(struct canned *);
void canned_open(struct canned *, struct sink *(*make)(const struct out_options *));
/* Puts and frees the interval. */
void canned_put(struct canned *, struct interval *);
/* All that was written so far; malloc'd. */
char *canned_text(const struct canned *);
void canned_end(struct canned *);

#endif

/*
 * JSON into a line under construction: commas come by themselves. What is not known (NaN, NULL) is left out. One thread.
 */
#ifndef OUT_JLINE_H
#define OUT_JLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/curve.h"
#include "out/line.h"

/* key NULL: an element of an array, or the outermost. */
void jline_open(struct line *, const char *key, char bracket);
void jline_close(struct line *, char bracket);
void jline_number(struct line *, const char *key, double);
void jline_count(struct line *, const char *key, uint64_t);
void jline_text(struct line *, const char *key, const char *);	/* "" is left out too */
void jline_bool(struct line *, const char *key, bool);
void jline_null(struct line *, const char *key);
/* Values in other units: times the scale. */
void jline_summary(struct line *, const char *key, const struct summary *, double scale);

#endif

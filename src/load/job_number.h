/*
 * Numbers as fio writes them: 8k, 0x200, 1g, 90s, and expressions in parentheses, (4k * 2). Units do not depend on case. All return
 * false where the whole text is not such a number, is negative, or does not fit. Pure; any thread.
 */
#ifndef LOAD_JOB_NUMBER_H
#define LOAD_JOB_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Bytes, with k m g t p. With kb_base 1024, fio's default, k and kb are 1024 and ki and kib are 1000, the other way round than
 * everywhere else; with 1000 they are as the standards say.
 */
bool number_bytes(const char *text, unsigned kb_base, uint64_t *out);
/*
 * Time in ns, with d h m s ms us, 146 years at most; unit_ns is that of a bare number. In parentheses a bare number is in
 * microseconds.
 */
bool number_time(const char *text, uint64_t unit_ns, uint64_t *ns);
bool number_count(const char *text, uint64_t *out);
/* A number with a fraction, never infinite. */
bool number_real(const char *text, double *out);

#endif

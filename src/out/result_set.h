/*
 * Within out/: results on a page.
 */
#ifndef OUT_RESULT_SET_H
#define OUT_RESULT_SET_H

#include "core/curve.h"
#include "core/result.h"
#include "out/page.h"

void result_page(struct page *, const struct result *, unsigned parts);
/* Decimals of milliseconds: three below 1 ms, five below 10 us. */
int result_decimals(const struct result *);
/* Are they all of the same test, whatever its depth? */
bool result_set_alike(const struct result *const *, size_t n);
/* And of the same depth, so that their mean says something? */
bool result_set_repeats(const struct result *const *, size_t n);

/* What the totals of several runs come to. */
struct set_summary {
	struct summary iops, mib_s, mean_ms;
};
void result_summarize(struct set_summary *, const struct result *const *, size_t n);

#endif

/*
 * Spans and points of time as people type them. Pure.
 */
#ifndef CMD_WHEN_H
#define CMD_WHEN_H

#include <stdint.h>

/* "90", "0.5", "90s", "5m", "2h", "1d" as nanoseconds. 0 or -EINVAL. */
int span_parse(const char *text, uint64_t *ns);
/*
 * A span ("5m": that long before now), a time of day ("14:30", "14:30:05": the last one before now), or an ISO date
 * with or without a time ("2026-11-30", "2026-11-30T14:30:05", "2026-11-30 14:30"); local time unless it ends in Z.
 * As Unix ms. 0 or -EINVAL.
 */
int when_parse(const char *text, int64_t now_ms, int64_t *ms);

/* The same of a time to come: a span from now on, the next such time of day, an ISO date. 0 or -EINVAL (also: past). */
int when_next_parse(const char *text, int64_t now_ms, int64_t *ms);

#endif

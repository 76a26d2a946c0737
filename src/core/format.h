/*
 * Numbers as text. Never depends on the locale. All write a terminating NUL and return the length
 * without it. Any thread.
 */
#ifndef CORE_FORMAT_H
#define CORE_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define FORMAT_MAX 32	/* any of these fits */

/* "1234.50": two decimals, rounded half away from zero, plain decimal whatever the size; for CSV. */
size_t format_fixed2(char out[static FORMAT_MAX], double value);
/* "1235": rounded to the nearest integer. */
size_t format_integer(char out[static FORMAT_MAX], double value);
/* Shortest text with up to 6 significant decimals behind the point that JSON takes: "0.123". */
size_t format_number(char out[static FORMAT_MAX], double value);
/*
 * For the screen: at most `width` characters, right for a column with `decimals`: "14257", "143k",
 * "1.43M", "0.69"; "0" for zero, "-" for NaN. Fewer decimals, then a suffix, where it would not fit.
 */
size_t format_cell(char out[static FORMAT_MAX], double value, int width, int decimals);
/* A lower bound of a stall: ">41 s", ">12 m", ">3 h". */
size_t format_bound(char out[static FORMAT_MAX], uint64_t ns);
/* "3.6 GiB", "64 KiB" */
size_t format_bytes(char out[static FORMAT_MAX], double bytes);
/* "2026-11-30T14:32:07.123Z" in UTC; "" before the year 1 and after 9999 */
size_t format_iso(char out[static FORMAT_MAX], int64_t wall_ms);
/* "11/30/2026 14:32:07": whole seconds in UTC, as perfmon and esxtop write them; "" as above */
size_t format_us_time(char out[static FORMAT_MAX], int64_t wall_s);

#endif

/*
 * Sections of a result: what a job does one after another (stonewall). Whether a benchmark lied is judged of each by itself. A
 * result of one section has the number 0 only, and its figures are the total's. Pure; any thread.
 */
#ifndef CORE_RESULT_SECTION_H
#define CORE_RESULT_SECTION_H

#include "core/result.h"

unsigned result_sections(const struct result *);
/* "seq-read": of the first of its workers, without the number of the clone; "" where there is one section only. */
void section_name(const struct result *, unsigned section, char *out, size_t size);
enum steady section_steady(const struct result *, unsigned section);
/* Mean in flight as measured, and as IOPS and latency want it; NaN where nothing was. */
double section_in_flight(const struct result *, unsigned section);
double section_wanted_in_flight(const struct result *, unsigned section);
bool section_littles_law(const struct result *, unsigned section);
/* What the device moved for each byte of the application; NaN where too little was to say. */
double section_device_share(const struct result *, unsigned section, enum result_dir);

#endif

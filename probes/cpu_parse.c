#include "probes/cpu_parse.h"

#include <string.h>

#include "core/snapshot.h"
#include "sys/scan.h"

#define COLUMNS_MIN 4	/* user nice system idle: before 2.6 */
#define NAME_MAX_LEN 15	/* "cpu" and a number */

/* The columns stand in the order of enum cpu_metric. */
static bool
parse_columns(const char *p, const char *end, uint64_t cells[static CPU_METRICS])
{
	int n = 0;

	while (n < CPU_METRICS && (p = scan_blanks(p, end)) < end) {
		p = scan_u64(p, end, &cells[n]);
		if (p == NULL)
			return false;
		n++;
	}
	for (int i = n; i < CPU_METRICS; i++)
		cells[i] = ABSENT;
	return n >= COLUMNS_MIN;
}

static void
take_out(uint64_t *from, uint64_t guest)
{
	if (guest != ABSENT)
		*from = *from > guest ? *from - guest : 0;
}

static bool
parse_line(const char *p, const char *end, struct cpu_line *out)
{
	const char *name = p;

	p += strlen("cpu");
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	if (p == end || *p != ' ' || p - name > NAME_MAX_LEN)
		return false;
	out->name = name;
	out->name_len = (size_t)(p - name);
	if (!parse_columns(p, end, out->cells))
		return false;
	take_out(&out->cells[CPU_USER], out->cells[CPU_GUEST]);
	take_out(&out->cells[CPU_NICE], out->cells[CPU_GUEST_NICE]);
	return true;
}

static bool
starts_with(const char *p, const char *end, const char *text)
{
	size_t len = strlen(text);

	return (size_t)(end - p) >= len && memcmp(p, text, len) == 0;
}

/* All lines of cores come first; what follows, interrupts above all, can be long. */
bool
cpu_next(struct cpu_cursor *cursor, struct cpu_line *out)
{
	while (starts_with(cursor->p, cursor->end, "cpu")) {
		const char *line = cursor->p, *end = scan_line_end(line, cursor->end);

		cursor->p = end < cursor->end ? end + 1 : end;
		if (starts_with(line, end, "cpu "))
			continue;
		if (parse_line(line, end, out))
			return true;
		cursor->skipped++;
	}
	return false;
}

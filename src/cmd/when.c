#include "cmd/when.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LONGEST_S 1e9	/* some 30 years */

static double
unit_seconds(const char *unit)
{
	static const struct { const char *name; double seconds; } units[] = {
		{ "", 1 }, { "s", 1 }, { "m", 60 }, { "h", 3600 }, { "d", 86400 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(unit, units[i].name) == 0)
			return units[i].seconds;
	return -1;
}

int
span_parse(const char *text, uint64_t *ns)
{
	char *end;
	double value, unit;

	/* strtod also takes "inf", "0x1p3" and signs, which nobody means here. */
	if (!isdigit((unsigned char)text[0]) || strspn(text, "0123456789.") == 0)
		return -EINVAL;
	value = strtod(text, &end);
	unit = unit_seconds(end);
	if (unit < 0 || (size_t)(end - text) != strspn(text, "0123456789.") || value * unit > LONGEST_S)
		return -EINVAL;
	*ns = (uint64_t)(value * unit * 1e9 + 0.5);
	return 0;
}

static bool
fields_valid(const struct tm *tm)
{
	return tm->tm_hour < 24 && tm->tm_min < 60 && tm->tm_sec < 61;
}

static int64_t
tm_ms(struct tm *tm, bool utc)
{
	time_t t;

	tm->tm_isdst = -1;
	t = utc ? timegm(tm) : mktime(tm);
	return (int64_t)t * 1000;
}

static int
parse_time_of_day(const char *text, int64_t now_ms, int64_t *ms)
{
	time_t now = (time_t)(now_ms / 1000);
	struct tm tm;
	const char *end;

	localtime_r(&now, &tm);
	tm.tm_sec = 0;
	end = strptime(text, "%H:%M:%S", &tm);
	if (end == NULL || *end != '\0') {
		tm.tm_sec = 0;
		end = strptime(text, "%H:%M", &tm);
	}
	if (end == NULL || *end != '\0' || !fields_valid(&tm))
		return -EINVAL;
	*ms = tm_ms(&tm, false);
	if (*ms > now_ms) {
		tm.tm_mday--;	/* mktime() makes a day of it across months and clock changes */
		*ms = tm_ms(&tm, false);
	}
	return 0;
}

static int
parse_date(const char *text, int64_t *ms)
{
	static const char *const formats[] = {
		"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d",
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct tm tm = { 0 };
		const char *end = strptime(text, formats[i], &tm);
		bool utc = end != NULL && strcmp(end, "Z") == 0;

		if (end == NULL || !(utc || *end == '\0') || !fields_valid(&tm))
			continue;
		*ms = tm_ms(&tm, utc);
		/* The 31st of a short month would silently become the 1st of the next. */
		if (tm.tm_mday != atoi(text + 8))
			return -EINVAL;
		return 0;
	}
	return -EINVAL;
}

int
when_parse(const char *text, int64_t now_ms, int64_t *ms)
{
	uint64_t span;

	if (span_parse(text, &span) == 0) {
		*ms = now_ms - (int64_t)(span / 1000000);
		return 0;
	}
	if (strlen(text) >= 10 && text[4] == '-' && text[7] == '-')
		return parse_date(text, ms);
	return parse_time_of_day(text, now_ms, ms);
}

int
when_next_parse(const char *text, int64_t now_ms, int64_t *ms)
{
	uint64_t span;

	if (span_parse(text, &span) == 0) {
		*ms = now_ms + (int64_t)(span / 1000000);
		return 0;
	}
	if (when_parse(text, now_ms, ms) < 0)
		return -EINVAL;
	/* A time of day is the last one; the next is tomorrow's. */
	if (*ms <= now_ms && strlen(text) < 10) {
		time_t t = (time_t)(*ms / 1000);
		struct tm tm;

		localtime_r(&t, &tm);
		tm.tm_mday++;
		*ms = tm_ms(&tm, false);
	}
	return *ms > now_ms ? 0 : -EINVAL;
}

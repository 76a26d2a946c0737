#include "core/format.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* From here on (2^53) a double has no digits behind the point. */
#define NO_DECIMALS 9007199254740992.0
/* The largest double below 2^64: a number beyond it is printed as if it were this. */
#define LARGEST 18446744073709549568.0

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
			    "25262728293031323334353637383940414243444546474849"
			    "50515253545556575859606162636465666768697071727374"
			    "75767778798081828384858687888990919293949596979899";

/* Writes the digits of v so that they end before `end`; returns where they begin. */
static char *
digits(char *end, uint64_t v)
{
	while (v >= 100) {
		end -= 2;
		memcpy(end, pairs + 2 * (v % 100), 2);
		v /= 100;
	}
	if (v >= 10) {
		end -= 2;
		memcpy(end, pairs + 2 * v, 2);
	} else {
		*--end = (char)('0' + v);
	}
	return end;
}

/* Moves the text that ends at `end` of a scratch buffer to the front, with its sign. */
static size_t
deliver(char *out, bool negative, const char *begin, const char *end)
{
	size_t len = (size_t)(end - begin);

	if (negative)
		*out = '-';
	memcpy(out + negative, begin, len);
	out[len + negative] = '\0';
	return len + negative;
}

static size_t
nothing(char *out)
{
	*out = '\0';
	return 0;
}

size_t
format_fixed2(char out[static FORMAT_MAX], double value)
{
	char buf[FORMAT_MAX], *end = buf + sizeof(buf), *p = end - 3;
	uint64_t whole, cents;
	double v = fabs(value);

	if (!isfinite(value))
		return nothing(out);
	/* The part behind the point is exact, so only its own product is rounded. */
	whole = (uint64_t)fmin(v, LARGEST);
	cents = v < NO_DECIMALS ? (uint64_t)((v - (double)whole) * 100 + 0.5) : 0;
	whole += cents / 100;
	cents %= 100;
	*p = '.';
	memcpy(p + 1, pairs + 2 * cents, 2);
	return deliver(out, value < 0 && (whole | cents) > 0, digits(p, whole), end);
}

size_t
format_integer(char out[static FORMAT_MAX], double value)
{
	char buf[FORMAT_MAX], *end = buf + sizeof(buf);
	uint64_t n;

	if (!isfinite(value))
		return nothing(out);
	n = (uint64_t)fmin(round(fabs(value)), LARGEST);
	return deliver(out, value < 0 && n > 0, digits(end, n), end);
}

/* Exactly `decimals` (0 to 6) of them, whatever the length: at most 1 + 20 + 1 + 6 characters. */
static size_t
fixed(char *out, double value, int decimals)
{
	static const double power[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6 };
	char buf[FORMAT_MAX], *end = buf + sizeof(buf), *p = end;
	uint64_t whole, part;

	if (decimals == 0 || fabs(value) >= NO_DECIMALS)
		return format_integer(out, value);
	whole = (uint64_t)fabs(value);
	part = (uint64_t)((fabs(value) - (double)whole) * power[decimals] + 0.5);
	if (part == (uint64_t)power[decimals]) {
		whole++;
		part = 0;
	}
	p = digits(p, part);
	while (end - p < decimals)
		*--p = '0';
	*--p = '.';
	return deliver(out, value < 0 && (whole | part) > 0, digits(p, whole), end);
}

size_t
format_number(char out[static FORMAT_MAX], double value)
{
	size_t len;

	if (!isfinite(value)) {
		memcpy(out, "null", 5);
		return 4;
	}
	len = fixed(out, value, 6);
	if (strchr(out, '.') == NULL)
		return len;
	while (out[len - 1] == '0')
		len--;
	if (out[len - 1] == '.')
		len--;
	out[len] = '\0';
	return len;
}

/*
 * With a suffix: a mantissa of three significant digits, fewer where the room is short; 0 where
 * even that does not fit.
 */
static size_t
with_suffix(char *out, double value, size_t width)
{
	static const char suffix[] = "kMGTPE";
	double v = fabs(value) / 1000;
	size_t i = 0, len;
	int decimals;

	while (v >= 999.5 && suffix[i + 1] != '\0') {
		v /= 1000;
		i++;
	}
	for (decimals = v < 9.995 ? 2 : v < 99.95 ? 1 : 0; decimals >= 0; decimals--) {
		len = fixed(out, copysign(v, value), decimals);
		if (len + 1 > width)
			continue;
		out[len] = suffix[i];
		out[len + 1] = '\0';
		return len + 1;
	}
	return 0;
}

size_t
format_cell(char out[static FORMAT_MAX], double value, int width, int decimals)
{
	size_t room = width < 1 ? 1 : width >= FORMAT_MAX ? FORMAT_MAX - 1 : (size_t)width, len;

	if (!isfinite(value) || value == 0) {
		out[0] = value == 0 ? '0' : '-';
		out[1] = '\0';
		return 1;
	}
	for (int d = decimals < 0 ? 0 : decimals > 6 ? 6 : decimals; d >= 0; d--) {
		len = fixed(out, value, d);
		if (len <= room)
			return len;
	}
	len = with_suffix(out, value, room);
	if (len > 0)
		return len;
	/* A column this narrow is a mistake in the catalogue; no wrong number stands in it. */
	memset(out, '#', room);
	out[room] = '\0';
	return room;
}

size_t
format_bound(char out[static FORMAT_MAX], uint64_t ns)
{
	uint64_t s = ns / UINT64_C(1000000000), m = s / 60, h = m / 60;
	bool in_s = s < 100, in_m = m < 100, in_h = h < 100;
	uint64_t n = in_s ? s : in_m ? m : in_h ? h : h / 24;

	return (size_t)snprintf(out, FORMAT_MAX, ">%llu %c", (unsigned long long)n,
	    in_s ? 's' : in_m ? 'm' : in_h ? 'h' : 'd');
}

size_t
format_bytes(char out[static FORMAT_MAX], double bytes)
{
	static const char *const unit[] = { " B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB" };
	double v = fabs(bytes);
	size_t i = 0, len;

	if (!isfinite(bytes))
		return format_cell(out, bytes, 1, 0);
	while (v >= 1023.5 && i < sizeof(unit) / sizeof(unit[0]) - 1) {
		v /= 1024;
		i++;
	}
	len = fixed(out, copysign(v, bytes), i > 0 && v < 99.95 ? 1 : 0);
	if (len > 2 && strcmp(out + len - 2, ".0") == 0)
		len -= 2;
	memcpy(out + len, unit[i], strlen(unit[i]) + 1);
	return len + strlen(unit[i]);
}

struct utc {
	int year, month, day;
	int hour, minute, second;
};

/*
 * gmtime_r() looks at the time zone's file and strftime() at the locale, for a line a tick. This is the day
 * count of the proleptic Gregorian calendar, in years that begin with March, so that leap days come last.
 */
static bool
utc_of(struct utc *t, int64_t s)
{
	int64_t day_s = (s % 86400 + 86400) % 86400, days = (s - day_s) / 86400 + 719468;
	int64_t era, day_of_era, year_of_era, day_of_year, month;

	if (s < INT64_C(-62135596800) || s > INT64_C(253402300799))
		return false;
	era = days / 146097;
	day_of_era = days % 146097;
	year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
	day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	month = (5 * day_of_year + 2) / 153;	/* 0 is March */
	t->day = (int)(day_of_year - (153 * month + 2) / 5 + 1);
	t->month = (int)(month < 10 ? month + 3 : month - 9);
	t->year = (int)(year_of_era + era * 400 + (t->month <= 2));
	t->hour = (int)(day_s / 3600);
	t->minute = (int)(day_s / 60 % 60);
	t->second = (int)(day_s % 60);
	return true;
}

/* n with leading zeros, and the character behind it. */
static char *
two(char *p, int n, char behind)
{
	memcpy(p, pairs + 2 * n, 2);
	p[2] = behind;
	return p + 3;
}

size_t
format_iso(char out[static FORMAT_MAX], int64_t wall_ms)
{
	int ms = (int)((wall_ms % 1000 + 1000) % 1000);
	struct utc t;
	char *p = out;

	if (!utc_of(&t, wall_ms / 1000 - (wall_ms % 1000 < 0)))
		return nothing(out);
	p = two(p, t.year / 100, '0') - 1;
	p = two(p, t.year % 100, '-');
	p = two(p, t.month, '-');
	p = two(p, t.day, 'T');
	p = two(p, t.hour, ':');
	p = two(p, t.minute, ':');
	p = two(p, t.second, '.');
	*p++ = (char)('0' + ms / 100);
	p = two(p, ms % 100, 'Z');
	*p = '\0';
	return (size_t)(p - out);
}

size_t
format_us_time(char out[static FORMAT_MAX], int64_t wall_s)
{
	struct utc t;
	char *p = out;

	if (!utc_of(&t, wall_s))
		return nothing(out);
	p = two(p, t.month, '/');
	p = two(p, t.day, '/');
	p = two(p, t.year / 100, '0') - 1;
	p = two(p, t.year % 100, ' ');
	p = two(p, t.hour, ':');
	p = two(p, t.minute, ':');
	p = two(p, t.second, '\0');
	return (size_t)(p - 1 - out);
}

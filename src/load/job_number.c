#include "load/job_number.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DEEPEST 32	/* parentheses within parentheses */
/* 146 years: delay, ramp and runtime come to a moment of the clock nevertheless. */
#define LONGEST_NS (UINT64_C(1) << 62)

enum what { WHAT_COUNT, WHAT_BYTES, WHAT_TIME };

struct scan {
	const char *p;
	enum what what;
	uint64_t bare;		/* what a number without a unit is multiplied by */
	uint64_t grain;		/* what a unit is divided by: times in an expression are in microseconds */
	unsigned kb_base;
	int depth;
	bool ok;
};

static bool
time_unit(const char *unit, size_t len, uint64_t *factor)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "us", 1000 }, { "usec", 1000 }, { "ms", 1000000 }, { "msec", 1000000 }, { "s", 1000000000 },
		{ "m", UINT64_C(60) * 1000000000 }, { "h", UINT64_C(3600) * 1000000000 },
		{ "d", UINT64_C(86400) * 1000000000 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strlen(units[i].name) == len && strncasecmp(unit, units[i].name, len) == 0) {
			*factor = units[i].ns;
			return true;
		}
	return false;
}

static bool
byte_unit(const char *unit, size_t len, unsigned kb_base, uint64_t *factor)
{
	static const char letters[] = "kmgtp";
	const char *letter = strchr(letters, tolower((unsigned char)unit[0]));
	bool swapped = len > 1 && tolower((unsigned char)unit[1]) == 'i';
	size_t known = swapped ? 2 : 1;
	uint64_t base = (kb_base == 1024) != swapped ? 1024 : 1000;

	*factor = 1;
	if (len == 1 && tolower((unsigned char)unit[0]) == 'b')
		return true;
	if (letter == NULL)
		return false;
	if (len != known && !(len == known + 1 && tolower((unsigned char)unit[known]) == 'b'))
		return false;
	for (; letter >= letters; letter--)
		*factor *= base;
	return true;
}

/* Steps over the unit behind a number. */
static bool
take_unit(struct scan *s, uint64_t *factor)
{
	const char *unit = s->p;
	size_t len = 0;

	while (isalpha((unsigned char)unit[len]))
		len++;
	*factor = s->bare;
	if (len == 0)
		return true;
	s->p += len;
	switch (s->what) {
	case WHAT_BYTES:
		return byte_unit(unit, len, s->kb_base, factor);
	case WHAT_TIME:
		if (!time_unit(unit, len, factor))
			return false;
		*factor /= s->grain;
		return true;
	default:
		return false;
	}
}

/* Digits and a unit. */
static bool
take_number(struct scan *s, uint64_t *out)
{
	bool hex = s->p[0] == '0' && (s->p[1] == 'x' || s->p[1] == 'X') && isxdigit((unsigned char)s->p[2]);
	uint64_t value, factor;
	char *end;

	if (!isdigit((unsigned char)s->p[0]))
		return false;
	errno = 0;
	value = strtoull(s->p, &end, hex ? 16 : 10);
	s->p = end;
	return errno == 0 && take_unit(s, &factor) && !__builtin_mul_overflow(value, factor, out);
}

static long double take_sum(struct scan *);

static void
skip_blanks(struct scan *s)
{
	while (*s->p == ' ' || *s->p == '\t')
		s->p++;
}

static long double
fail(struct scan *s)
{
	s->ok = false;
	s->p += strlen(s->p);	/* ends all loops */
	return 0;
}

static long double
take_factor(struct scan *s)
{
	long double value;
	uint64_t number;

	skip_blanks(s);
	if (s->depth >= DEEPEST)
		return fail(s);
	s->depth++;
	if (*s->p == '-') {
		s->p++;
		value = -take_factor(s);
	} else if (*s->p == '(') {
		s->p++;
		value = take_sum(s);
		skip_blanks(s);
		if (*s->p == ')')
			s->p++;
		else
			fail(s);
	} else {
		value = take_number(s, &number) ? (long double)number : fail(s);
	}
	s->depth--;
	return value;
}

static long double
take_power(struct scan *s)
{
	long double value = take_factor(s);

	skip_blanks(s);
	if (*s->p != '^')
		return value;
	s->p++;
	if (s->depth >= DEEPEST)
		return fail(s);
	s->depth++;
	value = powl(value, take_power(s));
	s->depth--;
	return value;
}

static long double
take_product(struct scan *s)
{
	long double value = take_power(s), other;
	char operator;

	for (skip_blanks(s); *s->p == '*' || *s->p == '/' || *s->p == '%'; skip_blanks(s)) {
		operator = *s->p++;
		other = take_power(s);
		if (operator == '*')
			value *= other;
		else if (other == 0)
			return fail(s);
		else
			value = operator == '/' ? value / other : fmodl(value, other);
	}
	return value;
}

static long double
take_sum(struct scan *s)
{
	long double value = take_product(s);

	for (skip_blanks(s); *s->p == '+' || *s->p == '-'; skip_blanks(s)) {
		if (*s->p++ == '+')
			value += take_product(s);
		else
			value -= take_product(s);
	}
	return value;
}

static bool
parse(struct scan *s, const char *text, uint64_t *out)
{
	long double value;

	s->p = text;
	s->ok = true;
	s->grain = 1;
	if (*text != '(')
		return take_number(s, out) && *s->p == '\0';
	if (s->what == WHAT_TIME) {
		s->bare = 1;
		s->grain = 1000;
	}
	value = truncl(take_factor(s) * (long double)s->grain);
	if (!s->ok || *s->p != '\0' || !(value >= 0 && value < 18446744073709551616.0L))
		return false;
	*out = (uint64_t)value;
	return true;
}

bool
number_bytes(const char *text, unsigned kb_base, uint64_t *out)
{
	return parse(&(struct scan){ .what = WHAT_BYTES, .bare = 1, .kb_base = kb_base }, text, out);
}

bool
number_time(const char *text, uint64_t unit_ns, uint64_t *ns)
{
	return parse(&(struct scan){ .what = WHAT_TIME, .bare = unit_ns }, text, ns) && *ns <= LONGEST_NS;
}

bool
number_count(const char *text, uint64_t *out)
{
	return parse(&(struct scan){ .what = WHAT_COUNT, .bare = 1 }, text, out);
}

bool
number_real(const char *text, double *out)
{
	size_t digits = strspn(text, "0123456789.eE+-");
	char *end;

	if (digits == 0 || text[digits] != '\0')	/* no inf, nan, hexadecimal */
		return false;
	*out = strtod(text, &end);
	return end != text && *end == '\0' && isfinite(*out);
}

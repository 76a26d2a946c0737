#include "probes/hex_parse.h"

#include "core/snapshot.h"
#include "sys/text.h"

uint64_t
hex_parse(const char *buf, size_t len)
{
	uint64_t value = 0;
	size_t i;

	_Static_assert(ABSENT == UINT64_MAX, "all ones are what is not counted");
	if (len < 3 || buf[0] != '0' || buf[1] != 'x')
		return ABSENT;
	for (i = 2; i < len && text_hex_value(buf[i]) >= 0; i++) {
		if (value >> 60 != 0)
			return ABSENT;
		value = value << 4 | (uint64_t)text_hex_value(buf[i]);
	}
	return i > 2 && (i == len || buf[i] == '\n') ? value : ABSENT;
}

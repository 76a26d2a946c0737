#include "load/scsi_parse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MOST_BLOCK_BYTES (UINT32_C(1) << 20)

static uint64_t
big_endian(const uint8_t *p, unsigned bytes)
{
	uint64_t value = 0;

	while (bytes-- > 0)
		value = value << 8 | *p++;
	return value;
}

/* ASCII fields are filled with blanks; and this goes to a terminal. */
static void
take_text(const uint8_t *data, size_t len, char *out, size_t size)
{
	size_t n = 0;

	while (len > 0 && (data[len - 1] == ' ' || data[len - 1] == '\0'))
		len--;
	while (len > 0 && *data == ' ') {
		data++;
		len--;
	}
	for (; n < len && n + 1 < size; n++)
		out[n] = data[n] > ' ' && data[n] < 127 ? (char)data[n] : data[n] == ' ' ? ' ' : '?';
	out[n] = '\0';
}

int
scsi_parse_identity(const uint8_t *data, size_t len, struct scsi_identity *out)
{
	*out = (struct scsi_identity){ .qualifier = 0 };
	if (len < 36)
		return -EINVAL;
	out->qualifier = data[0] >> 5;
	out->type = data[0] & 0x1f;
	take_text(data + 8, 8, out->vendor, sizeof(out->vendor));
	take_text(data + 16, 16, out->product, sizeof(out->product));
	return 0;
}

/* Of a vital product data page: what is behind its header, and how much of it. NULL: another page, or none. */
static const uint8_t *
page(const uint8_t *data, size_t len, uint8_t code, size_t *bytes)
{
	if (len < 4 || data[1] != code)
		return NULL;
	*bytes = (size_t)big_endian(data + 2, 2);
	if (*bytes > len - 4)
		*bytes = len - 4;
	return data + 4;
}

void
scsi_parse_serial(const uint8_t *data, size_t len, char *out, size_t size)
{
	size_t bytes;
	const uint8_t *text = page(data, len, 0x80, &bytes);

	out[0] = '\0';
	if (text != NULL)
		take_text(text, bytes, out, size);
}

/* Binary, of the LUN and not of its port: 8 or 16 bytes behind a prefix. */
static void
take_name(const uint8_t *designator, size_t len, const char *prefix, char *out, size_t size)
{
	size_t at = (size_t)snprintf(out, size, "%s", prefix);

	for (size_t i = 0; i < len && at + 3 <= size; i++)
		at += (size_t)snprintf(out + at, size - at, "%02x", designator[i]);
}

void
scsi_parse_wwn(const uint8_t *data, size_t len, char *out, size_t size)
{
	size_t bytes;
	const uint8_t *p = page(data, len, 0x83, &bytes);
	bool found = false;

	out[0] = '\0';
	while (p != NULL && bytes >= 4 && !found) {
		size_t n = p[3];
		unsigned set = p[0] & 0xf, association = p[1] >> 4 & 3, type = p[1] & 0xf;

		if (n > bytes - 4)
			return;
		if (set == 1 && association == 0 && type == 3 && n > 0) {
			take_name(p + 4, n, "naa.", out, size);
			found = true;
		} else if (set == 1 && association == 0 && type == 2 && n > 0 && out[0] == '\0') {
			take_name(p + 4, n, "eui.", out, size);
		}
		p += 4 + n;
		bytes -= 4 + n;
	}
}

int
scsi_parse_capacity(const uint8_t *data, size_t len, struct scsi_capacity *out)
{
	uint64_t last, bytes;

	*out = (struct scsi_capacity){ .blocks = 0 };
	if (len < 14)
		return -EINVAL;
	last = big_endian(data, 8);
	out->block_bytes = (uint32_t)big_endian(data + 8, 4);
	if (out->block_bytes == 0 || out->block_bytes > MOST_BLOCK_BYTES || (out->block_bytes & (out->block_bytes - 1)) != 0 ||
	    last == UINT64_MAX || __builtin_mul_overflow(last + 1, out->block_bytes, &bytes) || bytes > INT64_MAX)
		return -EINVAL;
	out->blocks = last + 1;
	out->physical_bytes = out->block_bytes << (data[13] & 0xf);
	return 0;
}

bool
scsi_parse_reserved(const uint8_t *data, size_t len)
{
	return len >= 8 && big_endian(data + 4, 4) > 0;
}

bool
scsi_parse_protected(const uint8_t *data, size_t len)
{
	return len >= 3 && (data[2] & 0x80) != 0;
}

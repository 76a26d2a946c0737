#include "sys/udevdb.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sys/text.h"

/* "\x20" is a blank: udev escapes what is not safe in a file name. Blanks at the ends go. */
static void
unescape(const char *p, size_t len, char out[static UDEVDB_VALUE_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < len && n < UDEVDB_VALUE_MAX - 1; i++) {
		char c = p[i];

		if (len - i >= 4 && c == '\\' && p[i + 1] == 'x' && text_hex_value(p[i + 2]) >= 0 &&
		    text_hex_value(p[i + 3]) >= 0) {
			c = (char)(text_hex_value(p[i + 2]) << 4 | text_hex_value(p[i + 3]));
			i += 3;
		}
		if (c == '\0' || (c == ' ' && n == 0))
			continue;
		out[n++] = c;
	}
	while (n > 0 && out[n - 1] == ' ')
		n--;
	out[n] = '\0';
}

/*
 * udev says 0x600a0b80... for what the kernel calls naa.600a0b80...; eui. and nvme. names are the
 * same in both.
 */
static void
kernel_wwn(char wwn[static UDEVDB_VALUE_MAX])
{
	char digits[UDEVDB_VALUE_MAX];

	if (strncmp(wwn, "0x", 2) != 0)
		return;
	snprintf(digits, sizeof(digits), "%s", wwn + 2);
	snprintf(wwn, UDEVDB_VALUE_MAX, "naa.%.*s", UDEVDB_VALUE_MAX - 5, digits);
}

/* Of two keys that say the same, the one that says it better. */
struct found {
	char wwn[UDEVDB_VALUE_MAX], wwn_extended[UDEVDB_VALUE_MAX];
	char serial[UDEVDB_VALUE_MAX], serial_short[UDEVDB_VALUE_MAX], serial_scsi[UDEVDB_VALUE_MAX];
	char model[UDEVDB_VALUE_MAX], model_enc[UDEVDB_VALUE_MAX];
	char vendor[UDEVDB_VALUE_MAX], vendor_enc[UDEVDB_VALUE_MAX];
	char md_name[UDEVDB_VALUE_MAX];
};

static char *
place_of(struct found *found, const char *key, size_t len)
{
	const struct {
		const char *key;
		char *place;
	} keys[] = {
		{ "ID_WWN", found->wwn },
		{ "ID_WWN_WITH_EXTENSION", found->wwn_extended },
		{ "ID_SERIAL", found->serial },
		{ "ID_SERIAL_SHORT", found->serial_short },
		{ "ID_SCSI_SERIAL", found->serial_scsi },
		{ "ID_MODEL", found->model },
		{ "ID_MODEL_ENC", found->model_enc },
		{ "ID_VENDOR", found->vendor },
		{ "ID_VENDOR_ENC", found->vendor_enc },
		{ "MD_DEVNAME", found->md_name },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strlen(keys[i].key) == len && memcmp(keys[i].key, key, len) == 0)
			return keys[i].place;
	return NULL;
}

static void
parse_line(struct found *found, const char *p, size_t len)
{
	const char *equals;
	char *place;

	if (len < 2 || memcmp(p, "E:", 2) != 0)
		return;
	p += 2;
	len -= 2;
	equals = memchr(p, '=', len);
	if (equals == NULL)
		return;
	place = place_of(found, p, (size_t)(equals - p));
	if (place != NULL)
		unescape(equals + 1, (size_t)(p + len - equals - 1), place);
}

static const char *
first_of(const char *a, const char *b, const char *c)
{
	return a[0] != '\0' ? a : b[0] != '\0' ? b : c;
}

void
udevdb_parse(const char *buf, size_t len, struct udevdb *out)
{
	const char *end = buf + len;
	struct found found = { .wwn = "" };

	for (const char *p = buf, *next; p < end; p = next) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));

		next = newline != NULL ? newline + 1 : end;
		parse_line(&found, p, (size_t)((newline != NULL ? newline : end) - p));
	}
	/* ID_SERIAL alone is what names the device's link: for SCSI the WWN, for virtio the true serial. */
	strcpy(out->wwn, first_of(found.wwn_extended, found.wwn, ""));
	strcpy(out->serial, first_of(found.serial_scsi, found.serial_short, found.serial));
	strcpy(out->model, first_of(found.model_enc, found.model, ""));
	strcpy(out->vendor, first_of(found.vendor_enc, found.vendor, ""));
	strcpy(out->md_name, found.md_name);
	kernel_wwn(out->wwn);
}

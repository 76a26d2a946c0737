/* Names that devices and users choose: whatever they are, each format stays whole. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "out/escape.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
expect(int held)
{
	if (!held)
		abort();
}

static void
valid_utf8(const struct line *l)
{
	for (size_t i = 0, n; i < l->len; i += n) {
		n = escape_utf8(l->buf + i, l->len - i);
		expect(n > 0 && (unsigned char)l->buf[i] >= ' ');
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xmalloc(size + 1), *safe;
	struct line json = { 0 }, csv = { 0 };

	memcpy(text, data, size);
	text[size] = '\0';
	escape_json(&json, text);
	escape_csv(&csv, text);
	safe = escape_pdh(text);
	valid_utf8(&json);
	valid_utf8(&csv);
	expect(json.buf[0] == '"' && json.buf[json.len - 1] == '"');
	expect(strpbrk(safe, "\",\\()") == NULL && *safe != '\0');
	line_free(&json);
	line_free(&csv);
	free(safe);
	free(text);
	return 0;
}

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "out/result_out.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct result **results;
	char why[200] = "", *text;
	size_t n = result_parse_json((const char *)data, size, &results, why, sizeof(why)), len;
	FILE *out;

	if (n == 0)
		return why[0] != '\0' ? 0 : (abort(), 0);
	/* What is accepted can be printed. */
	out = open_memstream(&text, &len);
	for (size_t i = 0; i < n; i++)
		result_check(results[i]);
	result_print_table(out, (const struct result *const *)results, n);
	result_print_json(out, (const struct result *const *)results, n);
	fclose(out);
	free(text);
	for (size_t i = 0; i < n; i++)
		result_free(results[i]);
	free(results);
	return 0;
}

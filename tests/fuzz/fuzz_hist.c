#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/hist.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hist *h = hist_decode(data, size);
	unsigned char *again;
	size_t len;

	if (h == NULL)
		return 0;
	/* What is accepted is whole: it can be asked, added to and written again. */
	if (!(hist_quantile_ns(h, 0.99) <= (double)h->max_ns))
		abort();
	again = hist_encode(h, &len);
	if (again == NULL)
		abort();
	free(again);
	hist_free(h);
	return 0;
}

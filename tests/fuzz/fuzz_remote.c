#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "load/nfs_link.h"
#include "load/remote.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
split(const char *url)
{
	char *directory, *file;

	if (nfs_url_split(url, &directory, &file) < 0)
		return;
	/* What was cut off stood there, and what is left is a URL still. */
	if (file[0] == '\0' || strstr(url, file) == NULL || remote_kind(directory) != REMOTE_NFS)
		abort();
	free(directory);
	free(file);
}

/* A password in the place where libraries look for one is never shown. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *rest = xstrndup((const char *)data, size), *url = xasprintf("iscsi://user%%%s@portal/iqn/1", rest), shown[256], why[200];

	if (strchr(rest, '=') == NULL) {
		remote_shown(url, shown, sizeof(shown));
		if (strcmp(shown, "iscsi://portal/iqn/1") != 0)
			abort();
	}
	free(url);
	url = xasprintf("nfs://%s", rest);
	remote_shown(url, shown, sizeof(shown));
	if (nfs_url_version(url, why, sizeof(why)) > 0)
		split(url);
	free(url);
	free(rest);
	return 0;
}

/* NFS URLs, as libnfs has them: nfs://server/path?argument=value&... */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "load/nfs_link.h"

#define SCHEME "nfs://"

/* Those that change what is measured behind our back (a cache, reconnecting) are not among them. */
static const char *const arguments[] = { "version", "nfsport", "mountport", "uid", "gid", "tcp-syncnt", "auto-traverse-mounts" };

static bool
is_known(const char *argument, size_t len)
{
	for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++)
		if (strlen(arguments[i]) == len && strncmp(arguments[i], argument, len) == 0)
			return true;
	return false;
}

int
nfs_url_version(const char *url, char *why, size_t size)
{
	const char *p = strchr(url, '?');
	int version = 3;
	size_t n = strcspn(url + strlen(SCHEME), "/?");

	/* The library would take it for a part of the server's name, and say so with the password in it. */
	if (memchr(url + strlen(SCHEME), '@', n) != NULL) {
		snprintf(why, size, "NFS knows neither user nor password: uid=N and gid=N say who asks");
		return -EINVAL;
	}
	for (; p != NULL && *p != '\0'; p += n) {
		size_t name;

		p++;
		n = strcspn(p, "&");
		name = strcspn(p, "=&");
		if (n == 0)
			continue;
		if (!is_known(p, name)) {
			snprintf(why, size, "%.*s: no such argument here (version, nfsport, mountport, uid, gid, tcp-syncnt, "
			    "auto-traverse-mounts)", (int)name, p);
			return -EINVAL;
		}
		if (name == 7 && strncmp(p, "version", 7) == 0) {
			if (n != 9 || (p[8] != '3' && p[8] != '4')) {
				snprintf(why, size, "%.*s: versions are 3 and 4 (4.0)", (int)n, p);
				return -EINVAL;
			}
			version = p[8] - '0';
		}
	}
	return version;
}

int
nfs_url_split(const char *url, char **directory, char **file)
{
	const char *path = url + strlen(SCHEME), *end, *last;

	path += strcspn(path, "/?");
	end = path + strcspn(path, "?");
	/* nfs://server/export/ is a directory too. */
	for (last = end; last > path && last[-1] != '/';)
		last--;
	if (last <= path + 1 || last == end || strcmp(last, "..") == 0 || strcmp(last, ".") == 0)
		return -EINVAL;
	*directory = xasprintf("%.*s%s", (int)(last - 1 - url), url, end);
	*file = xstrndup(last, (size_t)(end - last));
	return 0;
}

char *
nfs_url_join(const char *directory, const char *file)
{
	size_t len = strcspn(directory, "?"), least = strlen(SCHEME);

	while (len > least && directory[len - 1] == '/')
		len--;
	return xasprintf("%.*s/%s%s", (int)len, directory, file, directory + strcspn(directory, "?"));
}

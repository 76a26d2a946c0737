#include "load/remote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config.h"
#include "core/xalloc.h"

const char *const remote_name[] = { [REMOTE_NONE] = "", [REMOTE_NFS] = "nfs", [REMOTE_ISCSI] = "iscsi" };

static const struct {
	const char *scheme, *library, *package;
	bool built_in;
} protocols[] = {
	[REMOTE_NONE] = { "", "", "", true },
#ifdef HAVE_LIBNFS
	[REMOTE_NFS] = { "nfs://", "libnfs", "libnfs-dev", true },
#else
	[REMOTE_NFS] = { "nfs://", "libnfs", "libnfs-dev", false },
#endif
#ifdef HAVE_LIBISCSI
	[REMOTE_ISCSI] = { "iscsi://", "libiscsi", "libiscsi-dev", true },
#else
	[REMOTE_ISCSI] = { "iscsi://", "libiscsi", "libiscsi-dev", false },
#endif
};

enum remote_kind
remote_kind(const char *name)
{
	for (int i = REMOTE_NFS; i <= REMOTE_ISCSI; i++)
		if (strncasecmp(name, protocols[i].scheme, strlen(protocols[i].scheme)) == 0)	/* RFC 3986, 3.1 */
			return (enum remote_kind)i;
	return REMOTE_NONE;
}

/* libiscsi has arguments target_user and target_password. */
static bool
is_secret(const char *argument, size_t len)
{
	static const char *const words[] = { "user", "pass", "secret", "chap" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (memmem(argument, len, words[i], strlen(words[i])) != NULL)
			return true;
	return false;
}

/* No argument but a user's name or a password has an @ in it: what else has one was cut out of a password with a '?'. */
static const char *
at_behind(const char *arguments)
{
	const char *found = NULL, *begin = arguments;

	for (const char *p = arguments; *p != '\0'; p++) {
		const char *equals = *p == '@' ? memchr(begin, '=', (size_t)(p - begin)) : NULL;

		if (*p == '?' || *p == '&')
			begin = p + 1;
		else if (*p == '@' && (equals == NULL || !is_secret(begin, (size_t)(equals - begin))))
			found = p;
	}
	return found;
}

/* Behind the last @ of the authority. A password with a slash in it is looked for too, where no path has an @. */
static const char *
after_user(enum remote_kind kind, const char *authority)
{
	const char *end = authority + strcspn(authority, kind == REMOTE_ISCSI ? "?" : "/?");
	const char *at = at_behind(authority + strcspn(authority, "?"));

	if (at == NULL)
		at = memrchr(authority, '@', (size_t)(end - authority));
	return at != NULL ? at + 1 : authority;
}

static void
append(char *out, size_t size, const char *text, size_t len)
{
	size_t at = strlen(out);

	for (size_t i = 0; i < len && at + 1 < size; i++)
		out[at++] = (unsigned char)text[i] < ' ' || text[i] == 127 ? '?' : text[i];
	out[at] = '\0';
}

void
remote_shown(const char *url, char *out, size_t size)
{
	enum remote_kind kind = remote_kind(url);
	const char *p = url, *separator = "?";
	size_t n;

	out[0] = '\0';
	if (kind == REMOTE_NONE) {
		append(out, size, url, strlen(url));
		return;
	}
	append(out, size, protocols[kind].scheme, strlen(protocols[kind].scheme));
	p = after_user(kind, url + strlen(protocols[kind].scheme));
	n = strcspn(p, "?");
	append(out, size, p, n);
	for (p += n; *p != '\0'; p += n) {
		p++;
		n = strcspn(p, "&");
		if (n == 0 || is_secret(p, n))
			continue;
		append(out, size, separator, 1);
		append(out, size, p, n);
		separator = "&";
	}
}

bool
remote_built_in(enum remote_kind kind, char *why, size_t size)
{
	if (protocols[kind].built_in)
		return true;
	snprintf(why, size, "this stortop was built without %s, which speaks %s: install %s (as Debian calls it) and build again",
	    protocols[kind].library, remote_name[kind], protocols[kind].package);
	return false;
}

struct remote *
remote_new(enum remote_kind kind, const char *url)
{
	struct remote *r = xcalloc(1, sizeof(*r));

	r->refs = 1;
	r->kind = kind;
	/* The libraries know their schemes in small letters alone. */
	r->url = xasprintf("%s%s", protocols[kind].scheme, url + strlen(protocols[kind].scheme));
	return r;
}

/* Others see it const: only the count changes. */
static struct remote *
own(const struct remote *r)
{
	return (struct remote *)(uintptr_t)r;
}

const struct remote *
remote_ref(const struct remote *r)
{
	if (r != NULL)
		atomic_fetch_add(&own(r)->refs, 1);
	return r;
}

void
remote_unref(const struct remote *r)
{
	struct remote *mine = own(r);

	if (mine == NULL || atomic_fetch_sub(&mine->refs, 1) != 1)
		return;
	/* It may hold a password. */
	explicit_bzero(mine->url, strlen(mine->url));
	if (mine->directory != NULL)
		explicit_bzero(mine->directory, strlen(mine->directory));
	free(mine->url);
	free(mine->directory);
	free(mine->file);
	free(mine);
}

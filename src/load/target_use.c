#include "load/target_use.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "sys/dirlist.h"
#include "sys/text.h"

void
use_add(struct uses *uses, enum use_kind kind, const struct relative *relative, const char *format, ...)
{
	struct use use = { .kind = kind, .kin = relative != NULL ? relative->kin : KIN_SELF };
	va_list args;
	size_t len;

	if (relative != NULL)
		relative_words(relative, use.text, sizeof(use.text));
	len = strlen(use.text);
	va_start(args, format);
	vsnprintf(use.text + len, sizeof(use.text) - len, format, args);
	va_end(args);
	uses->list = xreallocarray(uses->list, uses->n + 1, sizeof(*uses->list));
	uses->list[uses->n++] = use;
}

void
use_blind(struct uses *uses, const char *format, ...)
{
	va_list args;

	if (uses->blind[0] != '\0')
		return;
	va_start(args, format);
	vsnprintf(uses->blind, sizeof(uses->blind), format, args);
	va_end(args);
}

bool
quarry_is(const struct quarry *quarry, mode_t mode, dev_t dev, ino_t ino, dev_t rdev, const struct relative **out)
{
	*out = NULL;
	if (quarry->family == NULL)
		return S_ISREG(mode) && dev == quarry->file_dev && ino == quarry->file_ino;
	if (S_ISBLK(mode))
		*out = family_find(quarry->family, rdev);
	return *out != NULL;
}

/* What stands on the device. */
static void
use_holders(const struct quarry *quarry, struct uses *uses)
{
	for (size_t i = 0; quarry->family != NULL && i < quarry->family->n; i++)
		if (quarry->family->list[i].kin == KIN_HOLDER)
			use_add(uses, USE_HOLDER, NULL, "%s is made of it", quarry->family->list[i].name);
}

/* As the kernel escapes paths in /proc/swaps and mountinfo: three octal digits behind a backslash. In place. */
static void
unescape(char *text)
{
	const char *from = text;
	char *to = text;

	while (*from != '\0') {
		unsigned code;

		if (from[0] == '\\' && strspn(from + 1, "01234567") >= 3 && sscanf(from + 1, "%3o", &code) == 1) {
			*to++ = (char)code;
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

/* Is it at this path? Where that cannot be looked at, by its name. */
static bool
is_at(const struct env *env, const struct quarry *quarry, const char *path, const struct relative **relative)
{
	char full[PATH_MAX];
	struct stat st;

	if (snprintf(full, sizeof(full), "%s%s", env->root, path) >= (int)sizeof(full))
		return false;
	if (stat(full, &st) == 0 && quarry_is(quarry, st.st_mode, st.st_dev, st.st_ino, st.st_rdev, relative))
		return true;
	*relative = quarry->family != NULL ? family_named(quarry->family, path) : NULL;
	return *relative != NULL;
}

/* A heading, then lines that begin with the path. A kernel without swap has no such file. */
static void
use_swaps(const struct env *env, const struct quarry *quarry, struct uses *uses)
{
	char *buf = NULL, *line, *rest;
	const struct relative *relative;
	size_t cap = 0;
	long len = env_read(env, "/proc/swaps", &buf, &cap);

	if (len < 0 && len != -ENOENT)
		use_blind(uses, "/proc/swaps cannot be read: %s", strerror((int)-len));
	for (line = len > 0 ? strtok_r(buf, "\n", &rest) : NULL; line != NULL; line = strtok_r(NULL, "\n", &rest)) {
		line[strcspn(line, " \t")] = '\0';
		unescape(line);
		if (line[0] == '/' && is_at(env, quarry, line, &relative))
			use_add(uses, USE_SWAP, relative, "is active swap space");
	}
	free(buf);
}

/* A target in the kernel that hands the device on to other machines; NVMe's does not open it exclusively. */
static void
use_export(const struct env *env, const struct quarry *quarry, struct uses *uses, const char *path, const char *who)
{
	const struct relative *relative;
	char device[PATH_MAX];

	if (env_attr(env, device, sizeof(device), "%s", path) > 0 && device[0] == '/' &&
	    is_at(env, quarry, device, &relative))
		use_add(uses, USE_EXPORT, relative, "is exported by %s", who);
}

#define CONFIG_FS "/sys/kernel/config"

static void
use_nvme_exports(const struct env *env, const struct quarry *quarry, struct uses *uses)
{
	struct dirlist subsystems, namespaces;
	char path[PATH_MAX];

	if (dirlist_read(env, &subsystems, CONFIG_FS "/nvmet/subsystems") < 0)
		return;
	for (size_t i = 0; i < subsystems.n; i++) {
		const char *subsystem = subsystems.names[i];

		if (dirlist_read(env, &namespaces, CONFIG_FS "/nvmet/subsystems/%s/namespaces", subsystem) < 0)
			continue;
		for (size_t k = 0; k < namespaces.n; k++) {
			snprintf(path, sizeof(path), CONFIG_FS "/nvmet/subsystems/%s/namespaces/%s/device_path", subsystem,
			    namespaces.names[k]);
			use_export(env, quarry, uses, path, "the NVMe target");
		}
		dirlist_free(&namespaces);
	}
	dirlist_free(&subsystems);
}

static void
use_scsi_exports(const struct env *env, const struct quarry *quarry, struct uses *uses)
{
	struct dirlist backends, stores;
	char path[PATH_MAX];

	if (dirlist_read(env, &backends, CONFIG_FS "/target/core") < 0)
		return;
	for (size_t i = 0; i < backends.n; i++) {
		const char *backend = backends.names[i];

		if (dirlist_read(env, &stores, CONFIG_FS "/target/core/%s", backend) < 0)
			continue;
		for (size_t k = 0; k < stores.n; k++) {
			snprintf(path, sizeof(path), CONFIG_FS "/target/core/%s/%s/udev_path", backend, stores.names[k]);
			use_export(env, quarry, uses, path, "the SCSI target");
		}
		dirlist_free(&stores);
	}
	dirlist_free(&backends);
}

void
uses_find(const struct env *env, const struct quarry *quarry, struct uses *out)
{
	*out = (struct uses){ .n = 0 };
	use_mounts(env, quarry, out);
	use_holders(quarry, out);
	use_swaps(env, quarry, out);
	use_loops(env, quarry, out);
	use_nvme_exports(env, quarry, out);
	use_scsi_exports(env, quarry, out);
	if (quarry->family != NULL)
		use_backing(env, quarry->family, out);
	use_openers(env, quarry, out);
}

void
uses_free(struct uses *uses)
{
	free(uses->list);
	*uses = (struct uses){ .n = 0 };
}

const struct use *
uses_first(const struct uses *uses, enum use_kind kind)
{
	for (size_t i = 0; i < uses->n; i++)
		if (uses->list[i].kind == kind)
			return &uses->list[i];
	return NULL;
}

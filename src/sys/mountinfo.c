#include "sys/mountinfo.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"

/*
 * Cuts the next field off the line. Fields are separated by exactly one space: a file system mounted
 * without a source has an empty one. NULL at the end of the line.
 */
static char *
field(char **line)
{
	char *start = *line, *end;

	if (start == NULL)
		return NULL;
	end = strchr(start, ' ');
	if (end != NULL)
		*end++ = '\0';
	*line = end;
	return start;
}

static bool
is_octal(char c)
{
	return c >= '0' && c <= '7';
}

char *
mount_unescape(char *text)
{
	const char *from = text;
	char *to = text;

	while (*from != '\0') {
		if (from[0] == '\\' && is_octal(from[1]) && is_octal(from[2]) && is_octal(from[3])) {
			*to++ = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	return text;
}

/* At most nine digits, so that the value fits. */
static bool
number(const char **text, char end, unsigned *out)
{
	const char *p = *text;
	unsigned value = 0;

	while (*p >= '0' && *p <= '9' && p - *text < 9)
		value = value * 10 + (unsigned)(*p++ - '0');
	if (p == *text || *p != end)
		return false;
	*text = p + 1;
	*out = value;
	return true;
}

/*
 * "36 35 98:0 /root /point rw,noatime shared:1 master:2 - ext3 /dev/sda1 rw": none to several
 * optional fields before the hyphen, and more may come behind the last one.
 */
static bool
parse_line(char *line, struct mount *out)
{
	const char *device;
	char *word;

	field(&line);
	field(&line);
	device = field(&line);
	if (device == NULL || !number(&device, ':', &out->major) || !number(&device, '\0', &out->minor))
		return false;
	out->root = field(&line);
	out->point = field(&line);
	if (out->point == NULL || out->point[0] != '/')
		return false;
	field(&line);
	do
		word = field(&line);
	while (word != NULL && strcmp(word, "-") != 0);
	out->fstype = field(&line);
	out->source = field(&line);
	if (out->source == NULL)
		return false;
	mount_unescape(out->root);
	mount_unescape(out->point);
	mount_unescape(out->fstype);
	mount_unescape(out->source);
	return true;
}

static size_t
count_lines(const char *buf, size_t len)
{
	size_t n = 1;

	for (size_t i = 0; i < len; i++)
		n += buf[i] == '\n';
	return n;
}

struct mounts *
mounts_parse(const char *buf, size_t len)
{
	struct mounts *mounts = xcalloc(1, sizeof(*mounts));
	char *line, *end;

	mounts->text = xmalloc(len + 1);
	if (len > 0)
		memcpy(mounts->text, buf, len);
	mounts->text[len] = '\0';
	mounts->list = xcalloc(count_lines(buf, len), sizeof(*mounts->list));
	for (line = mounts->text; line != NULL; line = end) {
		end = memchr(line, '\n', (size_t)(mounts->text + len - line));
		if (end != NULL)
			*end++ = '\0';
		if (parse_line(line, &mounts->list[mounts->n]))
			mounts->n++;
	}
	return mounts;
}

void
mounts_free(struct mounts *mounts)
{
	if (mounts == NULL)
		return;
	free(mounts->list);
	free(mounts->text);
	free(mounts);
}

/* Length of the mount point if the path is it or lies below it, else 0. */
static size_t
match(const char *point, const char *path)
{
	size_t len = strlen(point);

	if (strncmp(point, path, len) != 0)
		return 0;
	return len == 1 || path[len] == '/' || path[len] == '\0' ? len : 0;
}

const struct mount *
mounts_holding(const struct mounts *mounts, const char *path)
{
	const struct mount *best = NULL;
	size_t best_len = 1;

	for (size_t i = 0; i < mounts->n; i++) {
		size_t len = match(mounts->list[i].point, path);

		if (len >= best_len) {
			best_len = len;
			best = &mounts->list[i];
		}
	}
	return best;
}

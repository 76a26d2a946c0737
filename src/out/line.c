#include "out/line.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/xalloc.h"

char *
line_room(struct line *l, size_t n)
{
	if (l->cap - l->len < n) {
		size_t cap = l->cap < 1024 ? 1024 : l->cap;

		while (cap - l->len < n)
			cap *= 2;
		l->buf = xreallocarray(l->buf, cap, 1);
		l->cap = cap;
	}
	return l->buf + l->len;
}

void
line_char(struct line *l, char c)
{
	*line_room(l, 1) = c;
	l->len++;
}

void
line_bytes(struct line *l, const char *bytes, size_t len)
{
	memcpy(line_room(l, len), bytes, len);
	l->len += len;
}

void
line_text(struct line *l, const char *text)
{
	line_bytes(l, text, strlen(text));
}

int
line_write(struct line *l, int fd)
{
	size_t done = 0;
	int rc = 0;

	while (done < l->len) {
		ssize_t n = write(fd, l->buf + done, l->len - done);

		if (n >= 0) {
			done += (size_t)n;
		} else if (errno == EAGAIN) {
			/* A terminal or pipe that somebody else made non-blocking. */
			struct pollfd p = { .fd = fd, .events = POLLOUT };

			if (poll(&p, 1, -1) < 0 && errno == EINTR && done == 0) {
				rc = -EINTR;
				break;
			}
		} else if (errno != EINTR || done == 0) {
			rc = -errno;
			break;
		}
	}
	l->len = 0;
	return rc;
}

void
line_free(struct line *l)
{
	free(l->buf);
	*l = (struct line) { 0 };
}

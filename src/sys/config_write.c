#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/xalloc.h"
#include "sys/config.h"

#define LINE_MAX_COLUMNS 76	/* inih reads lines of up to 200 bytes */
#define FILE_MAX_BYTES (1 << 20)

/* The file being rewritten, line by line. */
struct rewrite {
	const struct config_change *changes;
	size_t n;
	bool *done;
	char section[64];
	bool skip;	/* the lines that follow belong to a value that was replaced */
	FILE *out;
};

static const char *
skip_blanks(const char *s)
{
	while (*s == ' ' || *s == '\t')
		s++;
	return s;
}

/* Is `word` what stands from s to end, blanks aside? */
static bool
is_word(const char *s, const char *end, const char *word)
{
	s = skip_blanks(s);
	while (end > s && isspace((unsigned char)end[-1]))
		end--;
	return strlen(word) == (size_t)(end - s) && memcmp(s, word, (size_t)(end - s)) == 0;
}

/* "key = value", broken between words so that no line gets too long. */
static void
write_pair(FILE *out, const char *key, const char *value)
{
	int column = fprintf(out, "%s =", key);

	while (*(value = skip_blanks(value)) != '\0') {
		int n = (int)strcspn(value, " \t\n");

		if (column + 1 + n > LINE_MAX_COLUMNS && column > 4) {
			fputs("\n   ", out);
			column = 3;
		}
		column += fprintf(out, " %.*s", n, value);
		value += n;
	}
	fputc('\n', out);
}

static void
write_missing(struct rewrite *r)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->done[i] || strcmp(r->changes[i].section, r->section) != 0)
			continue;
		write_pair(r->out, r->changes[i].key, r->changes[i].value);
		r->done[i] = true;
	}
}

/* A section ends before the blank lines and comments that lead to the next: they are held back till then. */
static bool
is_filler(const char *line)
{
	line = skip_blanks(line);
	return *line == '\n' || *line == '\0' || *line == ';' || *line == '#';
}

static void
enter_section(struct rewrite *r, const char *line)
{
	const char *name = line + 1;
	size_t n = strcspn(name, "]\n");

	snprintf(r->section, sizeof(r->section), "%.*s", (int)n, name);
	r->skip = false;
}

/* Writes the line, or what takes its place. */
static void
rewrite_line(struct rewrite *r, const char *line)
{
	const char *equals = line + strcspn(line, "=:\n");

	if (r->skip && (line[0] == ' ' || line[0] == '\t'))
		return;
	r->skip = false;
	for (size_t i = 0; i < r->n && *equals != '\n' && *equals != '\0'; i++) {
		if (strcmp(r->changes[i].section, r->section) != 0 || !is_word(line, equals, r->changes[i].key))
			continue;
		r->skip = true;
		if (!r->done[i])
			write_pair(r->out, r->changes[i].key, r->changes[i].value);
		r->done[i] = true;
		return;
	}
	fputs(line, r->out);
}

/* The next line with its end, which is made where the file has none; malloc'd, NULL at the end. */
static char *
next_line(const char **text)
{
	size_t n = strcspn(*text, "\n");
	char *line;

	if (**text == '\0')
		return NULL;
	line = xasprintf("%.*s\n", (int)n, *text);
	*text += (*text)[n] == '\n' ? n + 1 : n;
	return line;
}

static void
rewrite_text(struct rewrite *r, const char *text)
{
	char *held = xstrdup(""), *line;

	while ((line = next_line(&text)) != NULL) {
		if (is_filler(line)) {
			char *more = xasprintf("%s%s", held, line);

			free(held);
			held = more;
		} else {
			if (line[0] == '[')
				write_missing(r);
			fputs(held, r->out);
			held[0] = '\0';
			if (line[0] == '[')
				enter_section(r, line);
			if (line[0] == '[')
				fputs(line, r->out);
			else
				rewrite_line(r, line);
		}
		free(line);
	}
	write_missing(r);
	fputs(held, r->out);
	free(held);
}

/* Sections the file does not have yet. */
static void
write_new_sections(struct rewrite *r, bool empty)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->done[i])
			continue;
		fprintf(r->out, "%s[%s]\n", empty ? "" : "\n", r->changes[i].section);
		snprintf(r->section, sizeof(r->section), "%s", r->changes[i].section);
		write_missing(r);
		r->done[i] = true;
		empty = false;
	}
}

char *
config_rewrite(const char *text, const struct config_change *changes, size_t n)
{
	struct rewrite r = { .changes = changes, .n = n, .done = xcalloc(n, sizeof(bool)) };
	char *result = NULL;
	size_t size;

	r.out = open_memstream(&result, &size);
	if (r.out == NULL)
		return xstrdup(text);
	rewrite_text(&r, text);
	write_new_sections(&r, text[0] == '\0');
	fclose(r.out);
	free(r.done);
	return result;
}

char *
config_default_path(void)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (xdg != NULL && xdg[0] == '/')
		return xasprintf("%s/stortop/stortop.ini", xdg);
	if (home != NULL && home[0] == '/')
		return xasprintf("%s/.config/stortop/stortop.ini", home);
	return NULL;
}

/* The whole file; "" where there is none. NULL with errno where it cannot be read. */
static char *
read_whole(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text;
	size_t n;

	if (f == NULL)
		return errno == ENOENT || errno == ENOTDIR ? xstrdup("") : NULL;
	text = xmalloc(FILE_MAX_BYTES + 1);
	n = fread(text, 1, FILE_MAX_BYTES, f);
	text[n] = '\0';
	if (ferror(f) || n == FILE_MAX_BYTES) {
		free(text);
		text = NULL;
		errno = n == FILE_MAX_BYTES ? EFBIG : EIO;
	}
	fclose(f);
	return text;
}

/* Makes the directories above the file that are missing. */
static int
make_parents(const char *path)
{
	char *copy = xstrdup(path);
	int rc = 0;

	for (char *slash = strchr(copy + 1, '/'); slash != NULL && rc == 0; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0700) != 0 && errno != EEXIST)
			rc = -errno;
		*slash = '/';
	}
	free(copy);
	return rc;
}

/* All of it on the disk before the rename: a crash leaves the old file or the new one. */
static int
write_beside(const char *temporary, const char *text)
{
	size_t len = strlen(text);
	int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	int rc = 0;

	if (fd < 0)
		return -errno;
	while (len > 0 && rc == 0) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno != EINTR)
			rc = -errno;
		text += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	if (rc == 0 && fsync(fd) != 0)
		rc = -errno;
	close(fd);
	return rc;
}

int
config_save(const char *path, const struct config_change *changes, size_t n)
{
	/* where the file is a link (into a repository of such files), what it points to is replaced */
	char *real = realpath(path, NULL), *temporary, *old = NULL, *text = NULL;
	int rc = make_parents(path);

	path = real != NULL ? real : path;
	temporary = xasprintf("%s.%ld.new", path, (long)getpid());
	if (rc != 0)
		goto out;
	old = read_whole(path);
	if (old == NULL) {
		rc = -errno;
		goto out;
	}
	text = config_rewrite(old, changes, n);
	rc = write_beside(temporary, text);
	if (rc == 0 && rename(temporary, path) != 0)
		rc = -errno;
	if (rc != 0)
		unlink(temporary);
out:
	free(text);
	free(old);
	free(temporary);
	free(real);
	return rc;
}

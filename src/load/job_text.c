#include "load/job_text.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/xalloc.h"
#include "load/pool.h"

#define LARGEST_FILE (1 << 20)
#define DEEPEST 10		/* include within include */
#define MOST_INCLUDES 100	/* in all: a file that includes two that include two ... must end too */
#define MOST_SECTIONS 4096
#define MOST_LINES 65536

struct reader {
	struct job_text *out;
	struct pool *pool;
	const char *file;	/* at hand */
	unsigned line;
	unsigned depth;
	unsigned includes;
	size_t n_lines;
	char *why;
	size_t size;
};

static int parse_lines(struct reader *, char *text);

__attribute__((format(printf, 2, 3))) static int
complain(struct reader *r, const char *format, ...)
{
	va_list ap;
	int n = snprintf(r->why, r->size, "%s:%u: ", r->file, r->line);

	if (n >= 0 && (size_t)n < r->size) {
		va_start(ap, format);
		vsnprintf(r->why + n, r->size - (size_t)n, format, ap);
		va_end(ap);
	}
	return -EINVAL;
}

/* Blanks at both ends go. */
static char *
trim(char *text)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	for (end = text + strlen(text); end > text && isspace((unsigned char)end[-1]);)
		*--end = '\0';
	return text;
}

/* Writes what stands for the variable at `text`, which begins with $; the end of it, or NULL where it is none. The first not set is named. */
static const char *
put_variable(FILE *to, struct pool *pool, const char *text, const char **unset)
{
	const char *end = text[1] == '{' ? strchr(text, '}') : NULL, *value;
	char *name;

	if (end == NULL)
		return NULL;
	name = xstrndup(text + 2, (size_t)(end - text - 2));
	value = getenv(name);	/* nothing where it is not set, as in fio */
	fputs(value != NULL ? value : "", to);
	if (value == NULL && *unset == NULL)
		*unset = pool_strdup(pool, name);
	free(name);
	return end + 1;
}

static const char *
put_keyword(FILE *to, const char *text)
{
	const struct {
		const char *name;
		long value;
	} keywords[] = {
		{ "$pagesize", sysconf(_SC_PAGESIZE) },
		{ "$mb_memory", (long)((double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 1048576) },
		{ "$ncpus", sysconf(_SC_NPROCESSORS_ONLN) },
	};

	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
		size_t len = strlen(keywords[i].name);

		if (strncmp(text, keywords[i].name, len) == 0) {
			fprintf(to, "%ld", keywords[i].value);
			return text + len;
		}
	}
	return NULL;
}

/* A copy with variables and keywords replaced. Where a keyword stood the value is worked out, as in 8*$mb_memory. */
static const char *
expand(struct pool *pool, const char *text, const char **unset)
{
	char *out = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&out, &len);
	bool keyword = false;
	const char *copy;

	while (to != NULL && *text != '\0') {
		const char *end = *text == '$' ? put_variable(to, pool, text, unset) : NULL;

		if (end == NULL && *text == '$') {
			end = put_keyword(to, text);
			keyword = keyword || end != NULL;
		}
		if (end == NULL) {
			putc(*text, to);
			end = text + 1;
		}
		text = end;
	}
	if (to != NULL)
		fclose(to);
	copy = keyword && strpbrk(out, "+-*/") != NULL ? pool_printf(pool, "(%s)", out) : pool_strdup(pool, out != NULL ? out : "");
	free(out);
	return copy;
}

static int
add_line(struct reader *r, char *text)
{
	struct job_section *section;
	char *equals = strchr(text, '='), *value = NULL;
	struct job_line *line;

	if (r->out->n_sections == 0)
		return complain(r, "%s: an option outside of any [section]", text);
	if (++r->n_lines > MOST_LINES)
		return complain(r, "more than %d options", MOST_LINES);
	section = &r->out->sections[r->out->n_sections - 1];
	if (equals != NULL) {
		*equals = '\0';
		value = equals + 1;
	}
	if ((section->n_lines & (section->n_lines - 1)) == 0)
		section->lines = xreallocarray(section->lines, section->n_lines ? section->n_lines * 2 : 1, sizeof(*section->lines));
	line = &section->lines[section->n_lines++];
	*line = (struct job_line){ .key = pool_strdup(r->pool, trim(text)), .file = r->file, .line = r->line };
	if (value != NULL) {
		line->spaced = isspace((unsigned char)*value);
		line->value = expand(r->pool, trim(value), &line->unset);
	}
	return 0;
}

static int
add_section(struct reader *r, char *text)
{
	struct job_section *section;
	char *end = strrchr(text, ']');

	if (r->depth > 0)
		return complain(r, "%s: an included file has no sections", text);
	if (end == NULL || end[1] != '\0')
		return complain(r, "%s: a section's line ends with ]", text);
	*end = '\0';
	if (text[1] == '\0')
		return complain(r, "[]: a section without a name");
	if (r->out->n_sections >= MOST_SECTIONS)
		return complain(r, "more than %d sections", MOST_SECTIONS);
	if ((r->out->n_sections & (r->out->n_sections - 1)) == 0)
		r->out->sections = xreallocarray(r->out->sections, r->out->n_sections ? r->out->n_sections * 2 : 1,
		    sizeof(*r->out->sections));
	section = &r->out->sections[r->out->n_sections++];
	*section = (struct job_section){ .name = pool_strdup(r->pool, text + 1), .file = r->file, .line = r->line,
		.global = strncmp(text + 1, "global", 6) == 0 };	/* [Global] is a job, and [global2] none: as in fio */
	return 0;
}

static int
parse_included(struct reader *r, const char *path)
{
	struct reader inner = *r;
	char *text;
	size_t len;
	int rc = job_text_read(path, true, &text, &len);

	if (rc < 0)
		return complain(r, "include: %s: %s", path, strerror(-rc));
	inner.file = path;
	inner.depth++;
	rc = memchr(text, '\0', len) != NULL ? complain(r, "include: %s: not a text file", path) : parse_lines(&inner, text);
	r->includes = inner.includes;
	r->n_lines = inner.n_lines;
	free(text);
	return rc;
}

static int
include(struct reader *r, const char *name)
{
	const char *slash = strrchr(r->file, '/');

	if (r->out->n_sections == 0)
		return complain(r, "include outside of any [section]");
	if (*name == '\0')
		return complain(r, "include: needs the name of a file");
	if (r->depth >= DEEPEST || ++r->includes > MOST_INCLUDES)
		return complain(r, "include: %s: more than %d files within each other, or %d in all", name, DEEPEST, MOST_INCLUDES);
	if (name[0] == '/' || slash == NULL || access(name, F_OK) == 0)
		return parse_included(r, pool_strdup(r->pool, name));
	return parse_included(r, pool_printf(r->pool, "%.*s%s", (int)(slash + 1 - r->file), r->file, name));
}

static int
parse_line(struct reader *r, char *text)
{
	const char *unset = NULL;

	text[strcspn(text, "#;")] = '\0';
	text = trim(text);
	if (*text == '\0')
		return 0;
	if (*text == '[')
		return add_section(r, text);
	if (strncmp(text, "include", 7) == 0 && (isspace((unsigned char)text[7]) || text[7] == '=' || text[7] == '\0'))
		return include(r, expand(r->pool, trim(text[7] != '\0' ? text + 8 : text + 7), &unset));
	return add_line(r, text);
}

static int
parse_lines(struct reader *r, char *text)
{
	char *line;
	int rc = 0;

	for (r->line = 1; rc == 0 && (line = strsep(&text, "\n")) != NULL; r->line++)
		rc = parse_line(r, line);
	return rc;
}

int
job_text_parse(struct job_text *out, struct pool *pool, const char *file, const char *text, size_t len, char *why, size_t size)
{
	struct reader r = { .out = out, .pool = pool, .file = pool_strdup(pool, file), .line = 1, .why = why, .size = size };
	const char *nul;
	char *copy;
	int rc;

	*out = (struct job_text){ 0 };
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)	/* as some editors begin */
		text += 3, len -= 3;
	nul = memchr(text, '\0', len);
	if (nul != NULL) {
		for (const char *p = text; p < nul; p++)
			r.line += *p == '\n';
		return complain(&r, "a byte of 0: not a text file");
	}
	copy = xstrndup(text, len);
	rc = parse_lines(&r, copy);
	free(copy);
	return rc;
}

void
job_text_free(struct job_text *t)
{
	for (size_t i = 0; i < t->n_sections; i++)
		free(t->sections[i].lines);
	free(t->sections);
	*t = (struct job_text){ 0 };
}

static int
read_all(int fd, char *buf, size_t *len)
{
	ssize_t n;

	*len = 0;
	while (*len <= LARGEST_FILE && (n = read(fd, buf + *len, LARGEST_FILE + 1 - *len)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		*len += (size_t)n;
	}
	return *len > LARGEST_FILE ? -EFBIG : 0;
}

/* 0 or -errno: may this be read at all? */
static int
check_kind(int fd, bool regular)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	return regular && !S_ISREG(st.st_mode) ? -EINVAL : 0;
}

int
job_text_read(const char *path, bool regular, char **text, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | (regular ? O_NONBLOCK : 0)), rc;
	char *buf;

	if (fd < 0)
		return -errno;
	buf = xmalloc(LARGEST_FILE + 2);
	rc = check_kind(fd, regular);
	if (rc == 0)
		rc = read_all(fd, buf, len);
	close(fd);
	if (rc < 0) {
		free(buf);
		return rc;
	}
	buf[*len] = '\0';
	*text = buf;
	return 0;
}

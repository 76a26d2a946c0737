#include "out/page.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/format.h"
#include "out/escape.h"

#define GAP 3	/* blanks between pieces */

void
page_free(struct page *p)
{
	line_free(&p->text);
}

static void
print_line(void *arg, const char *text)
{
	fprintf(arg, "%s\n", text);
}

/* As setlocale() would find it; the program's numbers do not depend on it, so it is not called for their sake. */
static bool
locale_is_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (value != NULL && value[0] != '\0')
			return strcasestr(value, "UTF-8") != NULL || strcasestr(value, "utf8") != NULL;
	}
	return false;
}

void
page_on_file(struct page *p, FILE *file)
{
	struct winsize size = { 0 };

	*p = (struct page){ .line = print_line, .arg = file, .utf8 = locale_is_utf8() };
	if (isatty(fileno(file)) && ioctl(fileno(file), TIOCGWINSZ, &size) == 0)
		p->width = size.ws_col;
}

void
page_text(struct page *p, const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		bool odd;
		size_t n = escape_next(text, left, &odd);

		if (odd || (n > 1 && !p->utf8))
			line_char(&p->text, '?');
		else
			line_bytes(&p->text, text, n);
		p->at++;
		text += n;
		left -= n;
	}
}

void
page_printf(struct page *p, const char *format, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	page_text(p, text);
}

void
page_pad(struct page *p, int to)
{
	for (; p->at < to; p->at++)
		line_char(&p->text, ' ');
}

void
page_end(struct page *p)
{
	while (p->text.len > 0 && p->text.buf[p->text.len - 1] == ' ')
		p->text.len--;
	line_char(&p->text, '\0');
	p->line(p->arg, p->text.buf);
	p->text.len = 0;
	p->at = 0;
	p->indent = 0;
}

static void
wrap(struct page *p)
{
	int indent = p->indent;

	page_end(p);
	p->indent = indent;
	page_pad(p, indent);
}

static int
length_of(const char *text)
{
	int n = 0;

	for (; *text != '\0'; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

void
page_label(struct page *p, const char *label, int width)
{
	page_text(p, label);
	/* A name that is too long keeps a blank behind it. */
	page_pad(p, p->at < width ? width : p->at + 1);
	p->indent = width;
}

static bool
fits(const struct page *p, int more)
{
	return p->width == 0 || p->at + more <= p->width;
}

void
page_piece(struct page *p, const char *format, ...)
{
	char text[512];
	bool first = p->at <= p->indent;
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (!first && !fits(p, GAP + length_of(text)))
		wrap(p);
	else if (!first)
		page_pad(p, p->at + GAP);
	if (fits(p, length_of(text)))
		page_text(p, text);
	else
		page_words(p, text);
}

void
page_words(struct page *p, const char *text)
{
	bool first = true;

	while (*text != '\0') {
		size_t n = strcspn(text, " ");
		char word[256];

		snprintf(word, sizeof(word), "%.*s", (int)n, text);
		if (!first && !fits(p, 1 + length_of(word)))
			wrap(p);
		else if (!first)
			page_pad(p, p->at + 1);
		page_text(p, word);
		first = false;
		text += n + strspn(text + n, " ");
	}
}

int
page_columns_width(const struct page_column *columns, size_t n)
{
	int width = 0;

	for (size_t i = 0; i < n; i++)
		width += columns[i].hidden ? 0 : columns[i].width;
	return width;
}

void
page_fit(const struct page *p, struct page_column *columns, size_t n)
{
	while (p->width > 0 && page_columns_width(columns, n) > p->width) {
		size_t least = n;

		for (size_t i = 0; i < n; i++)
			if (!columns[i].hidden && columns[i].priority > 0 &&
			    (least == n || columns[i].priority < columns[least].priority))
				least = i;
		if (least == n)
			return;
		columns[least].hidden = true;
	}
}

/* What is too long is cut, so that the columns stand. */
void
page_cell(struct page *p, const struct page_column *c, const char *text)
{
	int begin = p->at, room = c->width - 1;
	char cut[256];
	int length;

	if (c->hidden)
		return;
	snprintf(cut, sizeof(cut), "%s", text);
	length = length_of(cut);
	for (char *end = cut + strlen(cut); length > room && end > cut; length = length_of(cut)) {
		while (end > cut && ((unsigned char)*--end & 0xc0) == 0x80)
			;
		*end = '\0';
	}
	if (!c->left)
		page_pad(p, begin + c->width - length);
	page_text(p, cut);
	page_pad(p, begin + c->width);
}

void
page_titles(struct page *p, const struct page_column *columns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		page_cell(p, &columns[i], columns[i].title);
	page_end(p);
}

void
page_figure(struct page *p, const struct page_column *c, double value, int decimals)
{
	char text[FORMAT_MAX];

	format_cell(text, value, c->width - 1, decimals);
	page_cell(p, c, text);
}

const char *
page_times(const struct page *p)
{
	return p->utf8 ? "\u00d7" : "x";
}

const char *
page_us(const struct page *p)
{
	return p->utf8 ? "\u00b5s" : "us";
}

/*
 * Lines of text for people, cut to a width: tables whose columns give way, and sentences that wrap. Foreign text is made harmless
 * here. One thread.
 */
#ifndef OUT_PAGE_H
#define OUT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "out/line.h"

struct page {
	int width;	/* in characters; 0: no limit */
	bool utf8;
	void (*line)(void *arg, const char *text);	/* called for each line */
	void *arg;
	struct line text;	/* the line under construction */
	int at;			/* its length in characters */
	int indent;		/* of a wrapped line */
};

void page_free(struct page *);
/* A page on a file, as wide as its terminal, without limit where it is none. */
void page_on_file(struct page *, FILE *);

void page_text(struct page *, const char *text);
__attribute__((format(printf, 2, 3))) void page_printf(struct page *, const char *format, ...);
void page_pad(struct page *, int to);
/* Ends the line; without trailing blanks. */
void page_end(struct page *);
/* A label in the margin; what follows wraps to its right. */
void page_label(struct page *, const char *label, int width);
/* A piece three blanks behind the one before, or on a new line; broken only where it is longer than a line. */
__attribute__((format(printf, 2, 3))) void page_piece(struct page *, const char *format, ...);
/* Words that wrap. */
void page_words(struct page *, const char *text);

struct page_column {
	const char *title;
	int width;		/* with the blank before it */
	int priority;		/* the lowest goes first; 0 never goes */
	bool left;
	bool hidden;
};

/* Hides columns until the rest fits. */
void page_fit(const struct page *, struct page_column *, size_t n);
int page_columns_width(const struct page_column *, size_t n);
void page_titles(struct page *, const struct page_column *, size_t n);
void page_cell(struct page *, const struct page_column *, const char *text);
/* A figure in at most the column's width; "-" for NaN. */
void page_figure(struct page *, const struct page_column *, double value, int decimals);

/* "x" and "us" where there is no UTF-8. */
const char *page_times(const struct page *);
const char *page_us(const struct page *);

#endif

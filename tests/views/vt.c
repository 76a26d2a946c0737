#include "vt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "views/text.h"

static void
blank(struct vt *v, int y, int from, int to)
{
	for (int x = from; x < to; x++)
		v->cells[y][x] = ' ';
}

void
vt_init(struct vt *v, int rows, int cols)
{
	memset(v, 0, sizeof(*v));
	v->cursor = true;
	vt_resize(v, rows, cols);
	for (int y = 0; y < VT_ROWS; y++)
		blank(v, y, 0, VT_COLS);
}

void
vt_resize(struct vt *v, int rows, int cols)
{
	v->rows = rows;
	v->cols = cols;
	v->y = v->y < rows ? v->y : rows - 1;
	v->x = v->x < cols ? v->x : cols - 1;
}

static void
go(struct vt *v, int y, int x)
{
	if (y < 0 || y >= v->rows || x < 0 || x >= v->cols)
		v->outside++;
	v->y = y < 0 ? 0 : y >= v->rows ? v->rows - 1 : y;
	v->x = x < 0 ? 0 : x >= v->cols ? v->cols - 1 : x;
}

static void
scroll(struct vt *v)
{
	memmove(v->cells[0], v->cells[1], sizeof(v->cells[0]) * (size_t)(v->rows - 1));
	blank(v, v->rows - 1, 0, v->cols);
}

/* As xterm: the last column is written, and only the next character would wrap; the program must not send it. */
static void
put(struct vt *v, unsigned ch)
{
	if (v->x >= v->cols) {
		v->outside++;
		return;
	}
	v->cells[v->y][v->x++] = ch;
	/* the right half of a wide character is told as 0 */
	if (text_char_columns(ch) == 2) {
		if (v->x >= v->cols)
			v->outside++;
		else
			v->cells[v->y][v->x++] = 0;
	}
}

static void
erase_display(struct vt *v, int how)
{
	for (int y = 0; y < v->rows; y++) {
		if (how == 2 || (how == 0 && y > v->y) || (how == 1 && y < v->y))
			blank(v, y, 0, v->cols);
		else if (y == v->y)
			blank(v, y, how == 0 ? v->x : 0, how == 0 ? v->cols : v->x + 1);
	}
}

static void
mode(struct vt *v, const char *numbers, bool on)
{
	if (strcmp(numbers, "?1049") == 0)
		v->alternate = on;
	else if (strcmp(numbers, "?25") == 0 || strcmp(numbers, "?12;25") == 0)
		v->cursor = on;
	else if (strncmp(numbers, "?1000", 5) == 0 || strncmp(numbers, "?1006", 5) == 0)
		v->mouse = on;
}

/* Characters of the line from x on move by n; what comes free is blank. */
static void
shift(struct vt *v, int n)
{
	unsigned *line = v->cells[v->y];
	int keep = v->cols - v->x - abs(n);

	if (keep < 0)
		return;
	if (n > 0) {
		memmove(line + v->x + n, line + v->x, sizeof(*line) * (size_t)keep);
		blank(v, v->y, v->x, v->x + n);
	} else {
		memmove(line + v->x, line + v->x - n, sizeof(*line) * (size_t)keep);
		blank(v, v->y, v->cols + n, v->cols);
	}
}

static void
repeat(struct vt *v, int n)
{
	unsigned ch = v->x > 0 ? v->cells[v->y][v->x - 1] : ' ';

	while (n-- > 0)
		put(v, ch);
}

static void
control(struct vt *v, const char *numbers, char final)
{
	int a = 0, b = 0, n;

	sscanf(numbers, "%d;%d", &a, &b);
	n = a > 0 ? a : 1;
	switch (final) {
	case 'H':
	case 'f':
		go(v, n - 1, b > 0 ? b - 1 : 0);
		break;
	case 'A':
		go(v, v->y - n, v->x);
		break;
	case 'B':
		go(v, v->y + n, v->x);
		break;
	case 'C':
		go(v, v->y, v->x + n);
		break;
	case 'D':
		go(v, v->y, (v->x < v->cols ? v->x : v->cols - 1) - n);
		break;
	case 'G':
		go(v, v->y, n - 1);
		break;
	case 'd':
		go(v, n - 1, v->x < v->cols ? v->x : v->cols - 1);
		break;
	case 'J':
		erase_display(v, a);
		break;
	case 'K':
		blank(v, v->y, a == 0 ? v->x : 0, a == 1 ? v->x + 1 : v->cols);
		break;
	case 'X':
		blank(v, v->y, v->x, v->x + n < v->cols ? v->x + n : v->cols);
		break;
	case '@':
		shift(v, n);
		break;
	case 'P':
		shift(v, -n);
		break;
	case 'b':
		repeat(v, n);
		break;
	case 'h':
	case 'l':
		mode(v, numbers, final == 'h');
		break;
	default:
		break;	/* colours, margins: of no matter here */
	}
}

/* Takes a whole sequence from pending; false while it is not whole. */
static bool
escape(struct vt *v)
{
	char *p = v->pending, final = p[v->n_pending - 1];

	if (v->n_pending < 2)
		return false;
	if (p[1] == '(' || p[1] == ')')
		return v->n_pending == 3;
	if (p[1] != '[')
		return true;
	if (v->n_pending < 3 || final < '@' || final > '~')
		return v->n_pending + 1 >= sizeof(v->pending);
	p[v->n_pending - 1] = '\0';
	control(v, p + 2, final);
	return true;
}

static void
plain(struct vt *v, const char *bytes)
{
	unsigned ch;

	text_decode(bytes, &ch);
	if (ch == '\r')
		v->x = 0;
	else if (ch == '\b')
		go(v, v->y, v->x - 1);
	else if (ch == '\n' && v->y + 1 < v->rows)
		v->y++;
	else if (ch == '\n')
		scroll(v);
	else if (ch >= ' ')
		put(v, ch);
}

/* How many bytes the character has that begins so. */
static size_t
bytes_of(unsigned char first)
{
	return first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

void
vt_feed(struct vt *v, const char *data, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		v->pending[v->n_pending++] = data[i];
		v->pending[v->n_pending] = '\0';
		if (v->pending[0] == '\033' ? escape(v) : v->n_pending == bytes_of((unsigned char)v->pending[0])) {
			if (v->pending[0] != '\033')
				plain(v, v->pending);
			v->n_pending = 0;
		}
	}
}

char *
vt_text(const struct vt *v)
{
	char *text = malloc((size_t)v->rows * ((size_t)v->cols * 4 + 1) + 1);
	size_t len = 0;

	for (int y = 0; text != NULL && y < v->rows; y++) {
		for (int x = 0; x < v->cols; x++)
			len += v->cells[y][x] != 0 ? text_encode(text + len, v->cells[y][x]) : 0;
		text[len++] = '\n';
	}
	if (text != NULL)
		text[len] = '\0';
	return text;
}

bool
vt_shows(const struct vt *v, const char *wanted)
{
	char *text = vt_text(v);
	bool shows = text != NULL && strstr(text, wanted) != NULL;

	free(text);
	return shows;
}

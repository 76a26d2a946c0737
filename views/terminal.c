#include "views/terminal.h"

#include <curses.h>
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "core/xalloc.h"
#include "views/restore.h"

struct terminal {
	SCREEN *screen;
	struct theme theme;
	struct surface shown;	/* as last sent */
	bool all;		/* everything must be sent again */
	wchar_t *run;		/* room for one line */
};

/* Set by the handlers, looked at by terminal_signals(). */
static volatile sig_atomic_t got_winch, got_tstp, got_cont;

static void
on_signal(int number)
{
	if (number == SIGWINCH)
		got_winch = 1;
	else if (number == SIGTSTP)
		got_tstp = 1;
	else
		got_cont = 1;
}

static void
catch(int number, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };
	struct sigaction old;

	/* who started us with job control off does not want it here either */
	if (number == SIGTSTP && sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
		return;
	sigemptyset(&action.sa_mask);
	sigaction(number, &action, NULL);
}

/* Can a terminal of this type carry a screen? 1, 0, or -1 where the type is not known. */
static int
can_address(const char *type)
{
	int status, can;

	if (setupterm(type, STDOUT_FILENO, &status) != OK)
		return -1;
	can = cursor_address != NULL && !hard_copy;
	del_curterm(cur_term);
	return can;
}

/* The terminal type to use, or NULL with the reason in why. */
static const char *
choose_type(char *why, size_t size)
{
	static const char *const fallback[] = { "xterm-256color", "xterm", "vt100", NULL };
	const char *type = getenv("TERM");
	int can;

	why[0] = '\0';
	if (type == NULL || type[0] == '\0') {
		snprintf(why, size, "TERM is not set");
		return NULL;
	}
	can = can_address(type);
	if (can == 1)
		return type;
	if (can == 0) {
		snprintf(why, size, "TERM=%.40s cannot move the cursor", type);
		return NULL;
	}
	for (int i = 0; fallback[i] != NULL; i++) {
		if (can_address(fallback[i]) == 1) {
			snprintf(why, size, "TERM=%.40s is not known here: taken for %s", type, fallback[i]);
			return fallback[i];
		}
	}
	snprintf(why, size, "TERM=%.40s is not known here", type);
	return NULL;
}

static void
set_modes(const struct terminal_options *options)
{
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	leaveok(stdscr, TRUE);
	curs_set(0);
	if (options->mouse) {
		mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
		mouseinterval(0);
	}
}

struct terminal *
terminal_open(const struct terminal_options *options, char *why, size_t size)
{
	const char *type = choose_type(why, size);
	struct terminal *t;
	SCREEN *screen;

	if (type == NULL)
		return NULL;
	restore_prepare(STDOUT_FILENO);
	/* curses leaves signals alone that are caught already */
	catch(SIGWINCH, on_signal);
	catch(SIGTSTP, on_signal);
	catch(SIGCONT, on_signal);
	set_escdelay(25);
	screen = newterm(type, stdout, stdin);
	if (screen == NULL) {
		snprintf(why, size, "TERM=%.40s cannot be opened", type);
		return NULL;
	}
	restore_sequences(options->mouse);
	restore_arm();
	t = xcalloc(1, sizeof(*t));
	t->screen = screen;
	set_modes(options);
	theme_load(&t->theme, options->background);
	surface_init(&t->shown, 1, 1, true);
	t->all = true;
	return t;
}

void
terminal_close(struct terminal *t)
{
	if (t == NULL)
		return;
	endwin();
	restore_disarm();
	delscreen(t->screen);
	catch(SIGWINCH, SIG_DFL);
	catch(SIGTSTP, SIG_DFL);
	catch(SIGCONT, SIG_DFL);
	surface_free(&t->shown);
	free(t->run);
	free(t);
}

void
terminal_size(const struct terminal *t, int *rows, int *cols)
{
	struct winsize w;

	(void)t;
	*rows = 24;
	*cols = 80;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_row > 0 && w.ws_col > 0) {
		*rows = w.ws_row;
		*cols = w.ws_col;
	}
}

void
terminal_block(sigset_t *mask)
{
	sigaddset(mask, SIGWINCH);
	sigaddset(mask, SIGTSTP);
	sigaddset(mask, SIGCONT);
}

/* Gives the terminal back, stops, and takes it again when continued. */
static void
suspend(void)
{
	sigset_t only, old;

	endwin();
	restore_disarm();
	catch(SIGTSTP, SIG_DFL);
	sigemptyset(&only);
	sigaddset(&only, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &only, &old);	/* here it stops */
	sigprocmask(SIG_SETMASK, &old, NULL);
	catch(SIGTSTP, on_signal);
	restore_arm();
}

bool
terminal_signals(struct terminal *t)
{
	bool again = got_winch || got_tstp || got_cont;

	if (!again)
		return false;
	if (got_tstp)
		suspend();
	/* After SIGSTOP the shell may have changed the modes and written on the screen. */
	if (got_tstp || got_cont)
		reset_prog_mode();
	got_winch = got_tstp = got_cont = 0;
	terminal_redraw(t);
	return true;
}

void
terminal_redraw(struct terminal *t)
{
	t->all = true;
	clearok(curscr, TRUE);
}

/* Can the terminal take output now? Stopped with ^S it must not stop the measuring. */
static bool
writable(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&out, 1, 0) == 1 && (out.revents & POLLOUT);
}

static void
send_line(struct terminal *t, const struct surface *s, int y)
{
	const struct cell *cells = &s->cells[(size_t)y * (size_t)s->cols];
	int x = 0;

	move(y, 0);
	while (x < s->cols) {
		struct look look = theme_look(&t->theme, cells[x].style);
		unsigned style = cells[x].style;
		int n = 0;

		for (; x < s->cols && cells[x].style == style; x++)
			if (cells[x].ch != 0)
				t->run[n++] = (wchar_t)cells[x].ch;
		attr_set(look.attributes, look.pair, NULL);
		addnwstr(t->run, n);
	}
}

/* Has to send everything: the sizes differ, or nothing has been sent yet. */
static bool
start_over(struct terminal *t, const struct surface *s)
{
	bool all = t->all || t->shown.rows != s->rows || t->shown.cols != s->cols;

	t->all = false;
	if (!all)
		return false;
	surface_resize(&t->shown, s->rows, s->cols);
	t->run = xreallocarray(t->run, (size_t)s->cols, sizeof(*t->run));
	if (LINES != s->rows || COLS != s->cols)
		resizeterm(s->rows, s->cols);
	erase();
	return true;
}

void
terminal_draw(struct terminal *t, const struct surface *s, int cursor_y, int cursor_x)
{
	size_t line = (size_t)s->cols * sizeof(*s->cells);
	bool all;

	if (!writable())
		return;
	all = start_over(t, s);
	for (int y = 0; y < s->rows; y++) {
		size_t at = (size_t)y * (size_t)s->cols;

		if (!all && memcmp(t->shown.cells + at, s->cells + at, line) == 0)
			continue;
		memcpy(t->shown.cells + at, s->cells + at, line);
		send_line(t, s, y);
	}
	leaveok(stdscr, cursor_y < 0);
	curs_set(cursor_y < 0 ? 0 : 1);
	if (cursor_y >= 0)
		move(cursor_y, cursor_x);
	wnoutrefresh(stdscr);
	doupdate();
}

static const struct {
	int curses;
	uint32_t code;
} function_keys[] = {
	{ KEY_UP, INPUT_UP }, { KEY_DOWN, INPUT_DOWN }, { KEY_LEFT, INPUT_LEFT }, { KEY_RIGHT, INPUT_RIGHT },
	{ KEY_PPAGE, INPUT_PAGE_UP }, { KEY_NPAGE, INPUT_PAGE_DOWN },
	{ KEY_HOME, INPUT_HOME }, { KEY_END, INPUT_END }, { KEY_FIND, INPUT_HOME }, { KEY_SELECT, INPUT_END },
	{ KEY_ENTER, INPUT_ENTER }, { KEY_BTAB, INPUT_BACK_TAB }, { KEY_BACKSPACE, INPUT_BACKSPACE },
	{ KEY_DC, INPUT_DELETE }, { KEY_F(1), INPUT_F1 }, { KEY_F(10), INPUT_F10 },
};

static uint32_t
control_key(uint32_t ch)
{
	switch (ch) {
	case '\r':
	case '\n':
		return INPUT_ENTER;
	case '\t':
		return INPUT_TAB;
	case 0x1B:
		return INPUT_ESC;
	case 0x08:
	case 0x7F:
		return INPUT_BACKSPACE;
	default:
		return ch;
	}
}

static uint32_t
mouse_key(struct input *in)
{
	MEVENT event;

	if (getmouse(&event) != OK)
		return 0;
	in->y = event.y;
	in->x = event.x;
	if (event.bstate & BUTTON4_PRESSED)
		return INPUT_WHEEL_UP;
	if (event.bstate & BUTTON5_PRESSED)
		return INPUT_WHEEL_DOWN;
	return event.bstate & BUTTON1_PRESSED ? INPUT_CLICK : 0;
}

static uint32_t
function_key(struct input *in, int curses)
{
	if (curses == KEY_MOUSE)
		return mouse_key(in);
	for (size_t i = 0; i < sizeof(function_keys) / sizeof(function_keys[0]); i++)
		if (function_keys[i].curses == curses)
			return function_keys[i].code;
	return 0;
}

int
terminal_read(struct terminal *t, struct input *in)
{
	wint_t ch;

	(void)t;
	for (;;) {
		int kind = get_wch(&ch);

		if (kind == ERR)
			return 0;
		*in = (struct input) { .code = 0 };
		in->code = kind == KEY_CODE_YES ? function_key(in, (int)ch) : control_key((uint32_t)ch);
		if (in->code != 0)
			return 1;
	}
}

bool
terminal_lost(const struct terminal *t)
{
	int waiting = 0;

	(void)t;
	return ioctl(STDIN_FILENO, FIONREAD, &waiting) != 0 || waiting == 0;
}

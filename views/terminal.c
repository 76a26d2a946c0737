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

#include "core/xalloc.h"
#include "views/caps.h"
#include "views/restore.h"

/* Curses keeps the modes, the keys and the mouse; what is drawn goes past it (paint.h). */
struct terminal {
	SCREEN *screen;
	WINDOW *keys;		/* a pad: reading from it draws nothing */
	struct caps caps;
	struct painted painted;
	struct bytes out;
	bool hold, refused;	/* SIGTSTP is not followed; one came */
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

/*
 * What terminals send for Home and End that are called something else: PuTTY, and the Linux console, as xterm. An unknown
 * sequence would be Escape and letters.
 */
static void
know_home_and_end(void)
{
	static const struct {
		const char *sent;
		int code;
	} keys[] = { { "\033[1~", KEY_HOME }, { "\033[H", KEY_HOME }, { "\033OH", KEY_HOME },
		{ "\033[4~", KEY_END }, { "\033[F", KEY_END }, { "\033OF", KEY_END } };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (key_defined(keys[i].sent) == 0)
			define_key(keys[i].sent, keys[i].code);
}

static WINDOW *
set_modes(const struct terminal_options *options)
{
	WINDOW *keys = newpad(1, 1);

	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(keys, TRUE);
	know_home_and_end();
	nodelay(keys, TRUE);
	curs_set(0);
	if (options->mouse) {
		mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
		mouseinterval(0);
	}
	refresh();	/* the alternate screen, and curses believes that it is blank from now on */
	return keys;
}

static struct theme
choose_theme(enum background background)
{
	bool light = background == BACKGROUND_LIGHT ||
	    (background == BACKGROUND_AUTO && theme_is_light(getenv("COLORFGBG")));

	return theme_make(caps_have_colours(), light);
}

struct terminal *
terminal_open(const struct terminal_options *options, char *why, size_t size)
{
	const char *type = choose_type(why, size);
	struct theme theme;
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
	theme = choose_theme(options->background);
	caps_load(&t->caps, &theme);
	painted_init(&t->painted);
	t->keys = set_modes(options);
	return t;
}

/* A terminal without a second screen to go back to: the shell goes on in the last line, and finds it empty. */
static void
leave_screen(void)
{
	const char *rmcup = tigetstr("rmcup"), *el = tigetstr("el");

	endwin();
	if (rmcup != NULL || el == NULL || el == (const char *)-1)
		return;
	putp(el);
	fflush(stdout);
}

void
terminal_close(struct terminal *t)
{
	if (t == NULL)
		return;
	leave_screen();
	restore_disarm();
	delwin(t->keys);
	delscreen(t->screen);
	catch(SIGWINCH, SIG_DFL);
	catch(SIGTSTP, SIG_DFL);
	catch(SIGCONT, SIG_DFL);
	caps_free(&t->caps);
	painted_free(&t->painted);
	bytes_clear(&t->out);
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

	leave_screen();
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
	if (!got_winch && !got_tstp && !got_cont)
		return false;
	if (got_tstp && t->hold) {
		t->refused = true;
	} else if (got_tstp) {
		suspend();
		refresh();	/* back to the alternate screen */
	} else if (got_cont) {
		/* after SIGSTOP the shell may have changed the modes and written on the screen */
		reset_prog_mode();
	}
	if (got_winch) {
		int rows, cols;

		/* curses draws nothing, but leaves the screen by its last line */
		terminal_size(t, &rows, &cols);
		resizeterm(rows, cols);
	}
	got_winch = got_tstp = got_cont = 0;
	terminal_redraw(t);
	return true;
}

void
terminal_hold(struct terminal *t, bool hold)
{
	t->hold = hold;
}

bool
terminal_refused(struct terminal *t)
{
	bool refused = t->refused;

	t->refused = false;
	return refused;
}

void
terminal_redraw(struct terminal *t)
{
	t->painted.all = true;
	t->painted.cursor_y = 0;	/* may be visible: it is hidden again */
}

/* Can the terminal take output now? Stopped with ^S it must not stop the measuring. */
static bool
writable(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&out, 1, 0) == 1 && (out.revents & POLLOUT);
}

void
terminal_draw(struct terminal *t, const struct surface *s, int cursor_y, int cursor_x)
{
	size_t sent = 0;

	if (!writable())
		return;
	t->out.len = 0;
	paint(&t->out, &t->caps.paint, &t->painted, s, cursor_y, cursor_x);
	while (sent < t->out.len) {
		ssize_t n = write(STDOUT_FILENO, t->out.data + sent, t->out.len - sent);

		if (n < 0 && errno != EINTR) {
			/* what of it has arrived is not known; that the terminal has gone shows when it is read */
			terminal_redraw(t);
			return;
		}
		sent += n > 0 ? (size_t)n : 0;
	}
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

	for (;;) {
		int kind = wget_wch(t->keys, &ch);

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

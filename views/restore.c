#include "views/restore.h"

#include <curses.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "core/xalloc.h"
#include "views/caps.h"

static const int fatal_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT };
#define N_FATAL (sizeof(fatal_signals) / sizeof(fatal_signals[0]))

/* Read in a signal handler, where nothing can be passed along. */
static struct {
	int fd;
	bool have_modes;
	struct termios modes;
	char bytes[256];
	size_t len;
	volatile sig_atomic_t armed;
} saved;

void
restore_prepare(int fd)
{
	saved.fd = fd;
	saved.have_modes = tcgetattr(fd, &saved.modes) == 0;
}

void
restore_sequences(bool mouse)
{
	static const char *const names[] = { "sgr0", "rmkx", "cnorm", "rmcup" };
	struct bytes b = { .data = NULL };

	if (mouse)
		bytes_add(&b, "\033[?1000l\033[?1002l\033[?1003l\033[?1006l");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		caps_append(&b, tigetstr(names[i]));
	bytes_add(&b, "\r\n");
	saved.len = b.len < sizeof(saved.bytes) ? b.len : 0;
	memcpy(saved.bytes, b.data, saved.len);
	bytes_clear(&b);
}

static void
restore_now(void)
{
	ssize_t n;

	if (!saved.armed)
		return;
	saved.armed = 0;
	n = write(saved.fd, saved.bytes, saved.len);
	(void)n;	/* a terminal that is gone needs nothing */
	if (saved.have_modes)
		tcsetattr(saved.fd, TCSANOW, &saved.modes);
}

static void
on_fatal(int number)
{
	restore_now();
	/* SA_RESETHAND: this time it kills, with the signal's own status */
	raise(number);
}

static void
catch_fatal(void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = (int)SA_RESETHAND };

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < N_FATAL; i++)
		sigaction(fatal_signals[i], &action, NULL);
}

void
restore_arm(void)
{
	saved.armed = 1;
	catch_fatal(on_fatal);
	xalloc_on_fatal(restore_now);
}

void
restore_disarm(void)
{
	saved.armed = 0;
	catch_fatal(SIG_DFL);
	xalloc_on_fatal(NULL);
}

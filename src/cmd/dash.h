/*
 * What the two faces of `stortop` without a command share: the dashboard on a terminal and the plain table
 * elsewhere. Main thread.
 */
#ifndef CMD_DASH_H
#define CMD_DASH_H

#include <signal.h>

#include "cmd/cmd.h"
#include "cmd/configure.h"
#include "session/session.h"
#include "views/screen.h"
#include "views/terminal.h"

struct dash {
	const struct options *options;
	struct env *env;
	struct configure configure;
	struct session *session;
	struct screen screen;
	char host[256];
	uint64_t shown;		/* intervals so far, for -n */
	bool store_said;	/* why recording stopped has been said on stderr */
	char trouble_said[256];	/* what could not be read, likewise */
};

/* Takes over a new interval (unrefs it): store state, troubles, the screen. True when -n has been reached. */
bool dash_take(struct dash *, struct interval *);

/*
 * Run until the end; the exit status. dash_screen() is called with the terminal's signals blocked (terminal_block())
 * and lets them in, with the mask `outside`, only while it waits. It closes the terminal.
 */
int dash_screen(struct dash *, struct terminal *, const char *remark, const sigset_t *outside);
int dash_plain(struct dash *);

#endif

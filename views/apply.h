/*
 * Between the configuration and the screen: what a file sets is put on the screen, and what the user changed there
 * becomes keys to be written. Main thread.
 */
#ifndef VIEWS_APPLY_H
#define VIEWS_APPLY_H

#include <stddef.h>

#include "session/settings.h"
#include "views/screen.h"

/*
 * Puts the settings on the screen. The number of those that mean nothing (a screen, a column); the first is
 * named in why.
 */
size_t screen_apply(struct screen *, const struct settings *, char *why, size_t size);

/* What W writes: the interval, the screen, names, charts, and each view's fields and sorting that are not the default. */
struct config_change *screen_changes(struct screen *, size_t *n);
void changes_free(struct config_change *, size_t n);

#endif

/*
 * What the configuration file may set, checked: the meaning of its keys. Fields and sorting of the views are
 * kept as text here and checked by the views, which know their columns. Main thread.
 */
#ifndef SESSION_SETTINGS_H
#define SESSION_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/object.h"
#include "session/verdict.h"
#include "sys/config.h"

struct settings_view {
	char *name;	/* "devices" */
	char *fields;	/* column keys, separated by blanks; NULL: not given */
	char *sort;	/* "cmds_s", "name", "gavg reverse"; NULL: not given */
};

struct settings {
	uint64_t interval_ns;		/* 0: not given */
	char view[16];			/* name of the screen to start with; "" not given */
	char charts[12];		/* auto, braille, blocks, ascii */
	char background[12];		/* auto, dark, light */
	bool mouse;
	enum naming naming;
	struct threshold limits[VERDICT_CLASSES];
	struct thresholds thresholds;	/* its rows are `limits` */
	uint64_t full_rate_s, minute_s, cap_bytes;	/* retention of the store */
	size_t n_views;
	struct settings_view *views;
};

void settings_init(struct settings *);	/* the defaults */
void settings_clear(struct settings *);
/*
 * Takes over what the file says. The number of entries that are wrong; the first is named in why ("interval =
 * abc: a time from 0.1 s"), and what is wrong keeps its default.
 */
size_t settings_take(struct settings *, const struct config *, char *why, size_t size);

/* "2", "0.5s", "5m", "48h", "30d"; false where it is no such time or not positive. Pure. */
bool settings_duration(const char *text, uint64_t *ns);
/* "2g", "1.5g", "512MiB", "1048576", powers of 1024; false where it is no size. Pure. */
bool settings_size(const char *text, uint64_t *bytes);

#endif

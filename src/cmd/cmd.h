/*
 * The commands: each joins one source to some sinks. All return the exit status (design.md section 12):
 * 0 done, 1 failed, 2 usage, 130 interrupted.
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/object.h"
#include "sys/env.h"

enum out_format { FORMAT_PDH, FORMAT_TIDY, FORMAT_JSON };

/* The command line, checked. Strings belong to argv. */
struct options {
	const char *db;			/* --db; NULL: the default place */
	bool no_record;
	const char *root;		/* --root; NULL: / */
	const char *config;		/* --config; NULL: the XDG place */
	uint64_t interval_ns;		/* -d */
	bool interval_given;
	uint64_t rows;			/* -n; 0: until stopped */
	bool batch, all;		/* -b, -a */
	enum out_format format;
	const struct kind **kinds;	/* --kind */
	size_t n_kinds;
	const char *filter_text;	/* --filter */
	regex_t filter;			/* compiled when filter_text is set */
	enum naming naming;
	int64_t from_ms, to_ms;		/* export */
	uint64_t every_ns;
	const char *list;		/* what `list` lists */
};

int cmd_dash(const struct options *, struct env *);	/* dashboard, or the plain table */
int cmd_record(const struct options *, struct env *);
int cmd_batch(const struct options *, struct env *);
int cmd_export(const struct options *, struct env *);
int cmd_list(const struct options *, struct env *);

/* Set by SIGINT, SIGTERM, SIGHUP: the number of the signal. */
extern volatile int cmd_stop;

/* One line on stderr: "stortop: ...". */
__attribute__((format(printf, 1, 2))) void cmd_warn(const char *format, ...);

#endif

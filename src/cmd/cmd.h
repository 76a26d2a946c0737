/*
 * The commands: each joins one source to some sinks. All return the exit status (design.md section 12):
 * 0 done, 1 failed, 2 usage, 130 interrupted.
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/flow.h"
#include "core/object.h"
#include "sys/env.h"

struct sampler;
struct settings;

enum out_format { FORMAT_PDH, FORMAT_TIDY, FORMAT_JSON };

/* Commands, as bits: which options go with which. */
enum command {
	COMMAND_DASH = 1 << 0,		/* dashboard or plain table */
	COMMAND_BATCH = 1 << 1,
	COMMAND_RECORD = 1 << 2,
	COMMAND_EXPORT = 1 << 3,
	COMMAND_LIST = 1 << 4,
	COMMAND_RUN = 1 << 5,
	COMMAND_REPORT = 1 << 6,
	COMMAND_COMPARE = 1 << 7,
	COMMAND_SHOW = 1 << 8,
	COMMAND_DECODE = 1 << 9,
};

struct sink;

/* What goes with `run`. */
struct run_options_line {
	uint64_t runtime_ns, ramp_ns;	/* UINT64_MAX: not given */
	bool full, in_use, keep;
	uint64_t size_bytes;		/* 0: not given */
	unsigned repeat;		/* 1 */
	const char *name, *destroy;	/* NULL: not given */
	int64_t start_at_ms;		/* 0: not given */
	double array_cache_bytes;	/* 0: not given */
};

/* The command line, checked. Strings belong to argv. */
struct options {
	enum command command;
	const char *db;			/* --db; NULL: the default place */
	bool no_record;
	const char *root;		/* --root; NULL: / */
	const char *config;		/* --config; NULL: the XDG place */
	struct captures captures;	/* --capture */
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
	struct run_options_line run;
	bool sum, json, elapsed;
	const char *export_run;		/* export --run */
	char **args;			/* words of run, report, compare, show, decode */
	int n_args;
};

/*
 * Reads the command line. 0: run `command`; otherwise the exit status plus 1 (1: --help or --version was printed,
 * 3: usage, one line on stderr says what is wrong).
 */
int options_parse(struct options *, int argc, char **argv);
void options_free(struct options *);

int cmd_dash(const struct options *, struct env *);	/* dashboard, or the plain table */
int cmd_record(const struct options *, struct env *);
int cmd_batch(const struct options *, struct env *);
int cmd_export(const struct options *, struct env *);
int cmd_list(const struct options *, struct env *);
int cmd_run(const struct options *, struct env *);
struct session;
int cmd_run_exec(const struct options *, struct session *);	/* run exec -- COMMAND... */
int cmd_list_runs(const struct options *);
int cmd_report(const struct options *, struct env *);
int cmd_compare(const struct options *, struct env *);
int cmd_show(const struct options *, struct env *);
int cmd_decode(const struct options *, struct env *);

/*
 * SIGINT, SIGTERM and SIGHUP set cmd_stop to their number and make cmd_stop_fd readable; a second SIGINT or SIGTERM
 * ends the program at once, whatever it waits for.
 */
extern volatile int cmd_stop;
extern int cmd_stop_fd;

/* Sets the handlers up; SIGPIPE is ignored. 0 or -errno. Called once, by main. */
int cmd_signals(void);

/* The host's name for exports and the store: of this machine, or of the foreign root. Never empty. */
void cmd_host_name(const struct env *, char *out, size_t size);
/* boot_id of the machine or root; "" where not known. */
void cmd_boot_id(const struct env *, char *out, size_t size);

/* The sink on standard output that the options ask for; its notes go to stderr. `host` must outlive it. */
struct sink *cmd_text_sink(const struct options *, const char *host);
/* -1: go on; otherwise the exit status: the reader has gone (0), or the output failed, which was said (1). */
int cmd_text_put(struct sink *, struct interval *);
/*
 * The store as the options and the configuration want it: --db or the default place, the
 * host's name, retention.
 * Opened by its own thread; store_status() tells.
 */
struct sink *cmd_open_store(const struct options *, const struct env *, const struct settings *);

/* What the probes could not read and why: "cpu: cannot read ...; nic: ...", or "". */
void cmd_troubles(const struct sampler *, char *out, size_t size);

#define CMD_TROUBLES_MAX 256

/* The same on stderr, once, and again when it is something else; `said` starts as "". */
void cmd_say_troubles(const struct sampler *, char said[static CMD_TROUBLES_MAX]);

/*
 * Names, labels and arguments may hold anything, and a terminal must not be told to do something by them: each character that
 * escape_next() calls odd becomes '?', in place. How many characters there are.
 */
size_t cmd_harmless(char *text);
/* One line on stderr, harmless: "stortop: ...". */
__attribute__((format(printf, 1, 2))) void cmd_warn(const char *format, ...);

#endif

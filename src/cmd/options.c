#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/cmd.h"
#include "cmd/options.h"
#include "config.h"
#include "core/xalloc.h"

#define LIVE (COMMAND_DASH | COMMAND_BATCH | COMMAND_RECORD)
#define TEXT (COMMAND_BATCH | COMMAND_EXPORT)
#define RESULTS (COMMAND_RUN | COMMAND_REPORT | COMMAND_COMPARE)
#define ALL (LIVE | TEXT | COMMAND_LIST | COMMAND_SHOW | COMMAND_DECODE | RESULTS)
#define DEFAULT_NS (UINT64_C(2) * 1000000000)

/* One row an option: the parser, the messages and --help are made from it. */
static const struct option_row {
	int id;			/* a letter, or enum option_id */
	const char *name;	/* long name, or NULL */
	const char *argument;	/* what --help calls it, or NULL */
	int commands;		/* which it goes with */
	const char *help;
} rows[] = {
	{ 'b', NULL, NULL, COMMAND_BATCH, "batch: CSV on standard output until N rows or Ctrl-C" },
	{ 'd', NULL, "S", LIVE, "interval in seconds, 0.1 or more (2)" },
	{ 'n', NULL, "N", COMMAND_DASH | COMMAND_BATCH, "end after N intervals" },
	{ 'a', NULL, NULL, COMMAND_DASH | TEXT | COMMAND_LIST, "all: hidden devices too; batch: all of esxtop's counters" },
	{ OPT_FORMAT, "format", "F", TEXT, "pdh (esxtop's CSV), tidy or json" },
	{ OPT_KIND, "kind", "K", TEXT, "this kind only; may be repeated" },
	{ OPT_FILTER, "filter", "RE", TEXT, "only objects whose names match" },
	{ OPT_NAMES, "names", "N", TEXT, "kernel, mapper or wwn" },
	{ OPT_FROM, "from", "T", COMMAND_EXPORT, "from this time on: 5m (ago), 14:30, 2026-11-30T14:30" },
	{ OPT_TO, "to", "T", COMMAND_EXPORT, "until this time" },
	{ OPT_EVERY, "every", "S", COMMAND_EXPORT, "add up to intervals of this length" },
	{ OPT_RUNTIME, "runtime", "T", COMMAND_RUN, "measure so long: 30, 90s, 5m" },
	{ OPT_RAMP, "ramp", "T", COMMAND_RUN, "let it settle so long before" },
	{ OPT_FULL, "full", NULL, COMMAND_RUN, "a built-in workload at its source's own duration" },
	{ OPT_SIZE, "size", "N", COMMAND_RUN, "working set: 512m, 10g (powers of 1024)" },
	{ OPT_REPEAT, "repeat", "N", COMMAND_RUN, "so many times, with mean and deviation" },
	{ OPT_NAME, "name", "NAME", COMMAND_RUN, "a name for the result" },
	{ OPT_START_AT, "start-at", "TIME", COMMAND_RUN, "start at this time, with other hosts: 14:30, ISO date" },
	{ OPT_DESTROY, "destroy", "SERIAL-OR-SIZE", COMMAND_RUN, "the device with this serial or exact size may be overwritten" },
	{ OPT_IN_USE, "in-use", NULL, COMMAND_RUN, "reading a device in use is fine" },
	{ OPT_ARRAY_CACHE, "array-cache", "N", COMMAND_RUN, "the cache of the array or target" },
	{ OPT_KEEP, "keep", NULL, COMMAND_RUN, "keep the test file" },
	{ OPT_SUM, "sum", NULL, COMMAND_REPORT, "add the results into one" },
	{ OPT_JSON, "json", NULL, RESULTS | COMMAND_DECODE, "one JSON object" },
	{ OPT_RUN, "run", "RUN", COMMAND_EXPORT, "the span of this run" },
	{ OPT_ELAPSED, "elapsed", NULL, COMMAND_EXPORT, "with --run: seconds from its start, workers and device" },
	{ OPT_DB, "db", "FILE", ALL, "the database to record to or read from" },
	{ OPT_NO_RECORD, "no-record", NULL, ALL, "record nothing" },
	{ OPT_ROOT, "root", "DIR", ALL, "read /proc and /sys below DIR" },
	{ OPT_CONFIG, "config", "FILE", ALL, "this configuration file" },
	{ OPT_CAPTURE, "capture", "IF", LIVE | COMMAND_RUN | COMMAND_LIST, "watch NFS and iSCSI on this interface; may be repeated" },
	{ OPT_VERSION, "version", NULL, ALL, "print the version and what is built in" },
	{ 'h', "help", NULL, ALL, "print this" },
};
#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

static const struct command_row {
	const char *name;
	enum command command;
} command_rows[] = {
	{ "record", COMMAND_RECORD },
	{ "export", COMMAND_EXPORT },
	{ "list", COMMAND_LIST },
	{ "run", COMMAND_RUN },
	{ "compare", COMMAND_COMPARE },
	{ "report", COMMAND_REPORT },
	{ "show", COMMAND_SHOW },
	{ "decode", COMMAND_DECODE },
};

static const char *const lists[] = { "workloads", "probes", "adapters", "devices", "mounts", "sessions", "columns",
	"runs" };

static void
print_help(void)
{
	puts("usage: stortop [-d S] [-a]                     dashboard; a plain table when stdout is no terminal\n"
	    "       stortop -b [-d S] [-n N] [-a] [--format F] [--kind K]... [--filter RE] [--names N]\n"
	    "       stortop record [-d S]                   record without a screen\n"
	    "       stortop export [--from T] [--to T] [--every S] [--run RUN [--elapsed]] [-a] [--format F]\n"
	    "                      [--kind K]... [--filter RE] [--names N]\n"
	    "       stortop run WORKLOAD TARGET [--runtime T] [--ramp T] [--full] [--size N] [--repeat N] [--name NAME]\n"
	    "                   [--start-at TIME] [--destroy SERIAL-OR-SIZE] [--in-use] [--array-cache N] [--keep] [--json]\n"
	    "       stortop run exec [--repeat N] [--name NAME] [--json] -- COMMAND...\n"
	    "       stortop compare RUN RUN... [--json]     stortop report [RUN...] [--sum] [--json]\n"
	    "       stortop decode FILE.pcap [--json]       NFS and iSCSI in a capture file\n"
	    "       stortop show WORKLOAD\n"
	    "       stortop list workloads|probes|adapters|devices|mounts|sessions|columns|runs\n"
	    "TARGET is a directory, a new file, a block device, nfs://server/export/dir,\n"
	    "       iscsi://portal/iqn/lun or null:\n");
	for (size_t i = 0; i < N_ROWS; i++) {
		char flag[64];

		if (rows[i].name == NULL)
			snprintf(flag, sizeof(flag), "-%c %s", rows[i].id, rows[i].argument ? rows[i].argument : "");
		else
			snprintf(flag, sizeof(flag), "%s--%s %s", rows[i].id < 256 ? "-h, " : "", rows[i].name,
			    rows[i].argument ? rows[i].argument : "");
		printf("  %-25s %s\n", flag, rows[i].help);
	}
	printf("\nkinds:");
	for (size_t i = 0; kind_table[i] != NULL; i++)
		printf(" %s", kind_table[i]->key);
	puts("\nIn the dashboard, h explains every key and column; stortop(1) the rest.");
}

static const struct option_row *
row_of(int id)
{
	for (size_t i = 0; i < N_ROWS; i++)
		if (rows[i].id == id)
			return &rows[i];
	return NULL;
}

static void
make_tables(struct option *longs, char *shorts)
{
	*shorts++ = ':';	/* a missing argument is told from an unknown option */
	for (size_t i = 0; i < N_ROWS; i++) {
		if (rows[i].name != NULL)
			*longs++ = (struct option){ rows[i].name, rows[i].argument ? required_argument : no_argument, NULL, rows[i].id };
		if (rows[i].id < 256) {
			*shorts++ = (char)rows[i].id;
			if (rows[i].argument != NULL)
				*shorts++ = ':';
		}
	}
	*longs = (struct option){ 0 };
	*shorts = '\0';
}

static const char *
command_name(enum command command)
{
	for (size_t i = 0; i < sizeof(command_rows) / sizeof(command_rows[0]); i++)
		if (command_rows[i].command == command)
			return command_rows[i].name;
	return "";
}

/* The first word names the command, before or after its options; none: the dashboard, or with -b the batch. */
static int
find_command(struct options *o, int argc, char **argv)
{
	if (optind == argc)
		return 0;
	for (size_t i = 0; i < sizeof(command_rows) / sizeof(command_rows[0]); i++)
		if (o->command == COMMAND_DASH && strcmp(argv[optind], command_rows[i].name) == 0) {
			o->command = command_rows[i].command;
			optind++;
			return 0;
		}
	if (o->command == COMMAND_BATCH)
		cmd_warn("%s: does not go with -b", argv[optind]);
	else
		cmd_warn("%s: there is no such command; stortop --help lists them", argv[optind]);
	return -EINVAL;
}

static int
bad_option(int c, char **argv)
{
	if (c == ':')
		cmd_warn("%s: needs an argument", argv[optind - 1]);
	else if (optopt != 0 && optopt < 256)
		cmd_warn("-%c: there is no such option; stortop --help lists them", optopt);
	else
		cmd_warn("%s: there is no such option, or it takes no argument; stortop --help lists them", argv[optind - 1]);
	return 3;
}

/* Commands that take words, when they have as many as they need. */
static bool
takes_words(const struct options *o, int n)
{
	switch (o->command) {
	case COMMAND_RUN:
	case COMMAND_COMPARE:
		return n >= 2;
	case COMMAND_SHOW:
	case COMMAND_DECODE:
		return n == 1;
	case COMMAND_REPORT:
		return true;
	default:
		return false;
	}
}

static bool
words_missing(const struct options *o)
{
	if (o->command == COMMAND_RUN)
		cmd_warn("run: needs a workload and a target, or exec -- COMMAND...");
	else if (o->command == COMMAND_COMPARE)
		cmd_warn("compare: needs two runs or more: numbers of `stortop list runs`, or results in JSON");
	else if (o->command == COMMAND_SHOW)
		cmd_warn("show: of what? `stortop list workloads` has the names");
	else if (o->command == COMMAND_DECODE)
		cmd_warn("decode: of what? a capture file, as tcpdump -w writes it");
	return (o->command & (COMMAND_RUN | COMMAND_COMPARE | COMMAND_SHOW | COMMAND_DECODE)) != 0;
}

static int
check_rest(struct options *o, int argc, char **argv)
{
	if (o->command == COMMAND_LIST) {
		if (optind == argc) {
			cmd_warn("list: of what? workloads, probes, adapters, devices, mounts, sessions, columns or runs");
			return 3;
		}
		int i = options_choose("list", argv[optind], lists, sizeof(lists) / sizeof(lists[0]));

		if (i < 0)
			return 3;
		o->list = lists[i];
		optind++;
	}
	if (takes_words(o, argc - optind)) {
		o->args = argv + optind;
		o->n_args = argc - optind;
	} else if ((!(o->command & (COMMAND_SHOW | COMMAND_DECODE)) || optind == argc) && words_missing(o)) {
		return 3;
	} else if (optind < argc) {
		cmd_warn("%s: not expected here", argv[optind]);
		return 3;
	}
	if (o->elapsed && o->export_run == NULL) {
		cmd_warn("--elapsed goes with --run only");
		return 3;
	}
	if (o->command == COMMAND_EXPORT && o->from_ms > o->to_ms) {
		cmd_warn("--from is later than --to");
		return 3;
	}
	return 0;
}

int
options_parse(struct options *o, int argc, char **argv)
{
	struct option longs[N_ROWS + 1];
	char shorts[2 * N_ROWS + 2];
	uint64_t given = 0;	/* bits: places in rows[] */
	int c;

	*o = (struct options){ .command = COMMAND_DASH, .interval_ns = DEFAULT_NS, .from_ms = INT64_MIN, .to_ms = INT64_MAX,
		.run = { .runtime_ns = UINT64_MAX, .ramp_ns = UINT64_MAX, .repeat = 1 } };
	make_tables(longs, shorts);
	optind = 1;
	opterr = 0;
	while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (c == ':' || c == '?')
			return bad_option(c, argv);
		if (c == 'h') {
			print_help();
			return 1;
		}
		if (c == OPT_VERSION) {
			printf("stortop %s\nbuilt with %s\n", STORTOP_VERSION, STORTOP_PACKAGES);
			return 1;
		}
		if (c == 'b' && o->command == COMMAND_DASH)
			o->command = COMMAND_BATCH;
		if (options_apply(o, c, optarg) < 0)
			return 3;
		given |= UINT64_C(1) << (row_of(c) - rows);
	}
	if (find_command(o, argc, argv) < 0)
		return 3;
	/* Only now is the command known. */
	for (size_t i = 0; i < N_ROWS; i++) {
		const struct option_row *row = &rows[i];

		if (!(given & UINT64_C(1) << i) || (row->commands & (int)o->command))
			continue;
		cmd_warn("%s%s: does not go with %s", row->name ? "--" : "-", row->name ? row->name : (char[]){ (char)row->id, 0 },
		    o->command == COMMAND_DASH ? "the dashboard (use -b)" : o->command == COMMAND_BATCH ? "-b" : command_name(o->command));
		return 3;
	}
	return check_rest(o, argc, argv);
}

void
options_free(struct options *o)
{
	free(o->kinds);
	if (o->filter_text != NULL)
		regfree(&o->filter);
}

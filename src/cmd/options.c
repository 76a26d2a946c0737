#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/cmd.h"
#include "cmd/when.h"
#include "config.h"
#include "core/xalloc.h"

#define LIVE (COMMAND_DASH | COMMAND_BATCH | COMMAND_RECORD)
#define TEXT (COMMAND_BATCH | COMMAND_EXPORT)
#define ALL (LIVE | TEXT | COMMAND_LIST)
#define SHORTEST_NS UINT64_C(100000000)
#define LONGEST_NS (UINT64_C(86400) * 1000000000)
#define DEFAULT_NS (UINT64_C(2) * 1000000000)

enum option_id {
	OPT_DB = 256, OPT_NO_RECORD, OPT_ROOT, OPT_CONFIG, OPT_VERSION, OPT_FORMAT, OPT_KIND, OPT_FILTER, OPT_NAMES,
	OPT_FROM, OPT_TO, OPT_EVERY,
};

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
	{ OPT_DB, "db", "FILE", ALL, "the database to record to or read from" },
	{ OPT_NO_RECORD, "no-record", NULL, ALL, "record nothing" },
	{ OPT_ROOT, "root", "DIR", ALL, "read /proc and /sys below DIR" },
	{ OPT_CONFIG, "config", "FILE", ALL, "this configuration file" },
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
};

static const char *const lists[] = { "probes", "adapters", "devices", "columns" };

static void
print_help(void)
{
	puts("usage: stortop [-d S] [-a]                     dashboard; a plain table when stdout is no terminal\n"
	    "       stortop -b [-d S] [-n N] [-a] [--format F] [--kind K]... [--filter RE] [--names N]\n"
	    "       stortop record [-d S]                   record without a screen\n"
	    "       stortop export [--from T] [--to T] [--every S] [-a] [--format F] [--kind K]... [--filter RE]\n"
	    "                      [--names N]\n"
	    "       stortop list probes|adapters|devices|columns\n");
	for (size_t i = 0; i < N_ROWS; i++) {
		char flag[48];

		if (rows[i].name == NULL)
			snprintf(flag, sizeof(flag), "-%c %s", rows[i].id, rows[i].argument ? rows[i].argument : "");
		else
			snprintf(flag, sizeof(flag), "%s--%s %s", rows[i].id < 256 ? "-h, " : "", rows[i].name,
			    rows[i].argument ? rows[i].argument : "");
		printf("  %-16s %s\n", flag, rows[i].help);
	}
	printf("\nkinds:");
	for (size_t i = 0; kind_table[i] != NULL; i++)
		printf(" %s", kind_table[i]->key);
	puts("\nIn the dashboard, h explains every key and column; stortop(1) the rest.");
}

static int
set_interval(struct options *o, const char *text)
{
	if (span_parse(text, &o->interval_ns) < 0 || o->interval_ns < SHORTEST_NS || o->interval_ns > LONGEST_NS) {
		cmd_warn("-d %s: not a number of seconds from 0.1 to 86400", text);
		return -EINVAL;
	}
	o->interval_given = true;
	return 0;
}

static int
set_rows(struct options *o, const char *text)
{
	char *end;

	errno = 0;
	o->rows = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)text[0]) || *end != '\0' || errno != 0 || o->rows == 0) {
		cmd_warn("-n %s: not a whole number of 1 or more", text);
		return -EINVAL;
	}
	return 0;
}

static int
set_every(struct options *o, const char *text)
{
	if (span_parse(text, &o->every_ns) < 0 || o->every_ns < SHORTEST_NS) {
		cmd_warn("--every %s: not a span of 0.1 s or more, like 10, 90s, 5m, 2h", text);
		return -EINVAL;
	}
	return 0;
}

static int
set_when(const char *option, int64_t *ms, const char *text)
{
	if (when_parse(text, (int64_t)time(NULL) * 1000, ms) < 0) {
		cmd_warn("%s %s: not a time like 5m (ago), 14:30, 2026-11-30 or 2026-11-30T14:30:00Z", option, text);
		return -EINVAL;
	}
	return 0;
}

/* Index of the word among n, or -1 with a message. */
static int
choose(const char *option, const char *text, const char *const *words, size_t n)
{
	char all[160] = "";

	for (size_t i = 0; i < n; i++) {
		if (strcmp(text, words[i]) == 0)
			return (int)i;
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", i > 0 ? ", " : "", words[i]);
	}
	cmd_warn("%s %s: must be one of %s", option, text, all);
	return -1;
}

static int
set_format(struct options *o, const char *text)
{
	static const char *const words[] = { "pdh", "tidy", "json" };
	int i = choose("--format", text, words, 3);

	o->format = (enum out_format)i;
	return i < 0 ? -EINVAL : 0;
}

static int
set_names(struct options *o, const char *text)
{
	static const char *const words[] = { "kernel", "mapper", "wwn" };
	int i = choose("--names", text, words, 3);

	o->naming = (enum naming)i;
	return i < 0 ? -EINVAL : 0;
}

static int
add_kind(struct options *o, const char *text)
{
	const struct kind *kind = kind_find(text);

	if (kind == NULL) {
		cmd_warn("--kind %s: there is no such kind; stortop --help lists them", text);
		return -EINVAL;
	}
	o->kinds = xreallocarray(o->kinds, o->n_kinds + 1, sizeof(*o->kinds));
	o->kinds[o->n_kinds++] = kind;
	return 0;
}

static int
set_filter(struct options *o, const char *text)
{
	char why[120];
	int rc;

	if (o->filter_text != NULL) {
		cmd_warn("--filter %s: given twice; use one expression with |", text);
		return -EINVAL;
	}
	rc = regcomp(&o->filter, text, REG_EXTENDED | REG_NOSUB);
	if (rc != 0) {
		regerror(rc, &o->filter, why, sizeof(why));
		cmd_warn("--filter %s: %s", text, why);
		return -EINVAL;
	}
	o->filter_text = text;
	return 0;
}

static int
set_path(const char *option, const char **place, const char *text)
{
	if (text[0] == '\0') {
		cmd_warn("%s: the name is empty", option);
		return -EINVAL;
	}
	*place = text;
	return 0;
}

static int
apply(struct options *o, int id, const char *arg)
{
	switch (id) {
	case 'a':
		o->all = true;
		return 0;
	case 'b':
		return 0;
	case 'd':
		return set_interval(o, arg);
	case 'n':
		return set_rows(o, arg);
	case OPT_DB:
		return set_path("--db", &o->db, arg);
	case OPT_NO_RECORD:
		o->no_record = true;
		return 0;
	case OPT_ROOT:
		return set_path("--root", &o->root, arg);
	case OPT_CONFIG:
		return set_path("--config", &o->config, arg);
	case OPT_FORMAT:
		return set_format(o, arg);
	case OPT_KIND:
		return add_kind(o, arg);
	case OPT_FILTER:
		return set_filter(o, arg);
	case OPT_NAMES:
		return set_names(o, arg);
	case OPT_FROM:
		return set_when("--from", &o->from_ms, arg);
	case OPT_TO:
		return set_when("--to", &o->to_ms, arg);
	case OPT_EVERY:
		return set_every(o, arg);
	default:
		return -EINVAL;
	}
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

/* "-b" anywhere makes it the batch; a first word names another command. */
static int
find_command(struct options *o, int argc, char **argv)
{
	o->command = COMMAND_DASH;
	if (argc < 2 || argv[1][0] == '-')
		return 1;
	for (size_t i = 0; i < sizeof(command_rows) / sizeof(command_rows[0]); i++)
		if (strcmp(argv[1], command_rows[i].name) == 0) {
			o->command = command_rows[i].command;
			return 2;
		}
	cmd_warn("%s: there is no such command; stortop --help lists them", argv[1]);
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

static int
check_rest(struct options *o, int argc, char **argv)
{
	if (o->command == COMMAND_LIST) {
		if (optind == argc) {
			cmd_warn("list: of what? probes, adapters, devices or columns");
			return 3;
		}
		int i = choose("list", argv[optind], lists, sizeof(lists) / sizeof(lists[0]));

		if (i < 0)
			return 3;
		o->list = lists[i];
		optind++;
	}
	if (optind < argc) {
		cmd_warn("%s: not expected here", argv[optind]);
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
	int given = 0, c, first;	/* bits: places in rows[] */

	*o = (struct options){ .interval_ns = DEFAULT_NS, .from_ms = INT64_MIN, .to_ms = INT64_MAX };
	first = find_command(o, argc, argv);
	if (first < 0)
		return 3;
	make_tables(longs, shorts);
	optind = first;
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
		if (apply(o, c, optarg) < 0)
			return 3;
		given |= 1 << (row_of(c) - rows);
	}
	/* Only now is the command known. */
	for (size_t i = 0; i < N_ROWS; i++) {
		const struct option_row *row = &rows[i];

		if (!(given & 1 << i) || (row->commands & (int)o->command))
			continue;
		cmd_warn("%s%s: does not go with %s", row->name ? "--" : "-", row->name ? row->name : (char[]){ (char)row->id, 0 },
		    o->command == COMMAND_DASH ? "the dashboard (use -b)" : o->command == COMMAND_BATCH ? "-b" : argv[1]);
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

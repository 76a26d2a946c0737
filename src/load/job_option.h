/*
 * The options of a job, as a table: parser, messages and the manual's test are driven by it.
 */
#ifndef LOAD_JOB_OPTION_H
#define LOAD_JOB_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/job.h"
#include "load/job_text.h"

struct pool;

enum job_rw { RW_READ, RW_WRITE, RW_BOTH };

/* A job in the making: what options say before they are put together. Copied whole where a section begins, with its defaults. */
struct job_draft {
	struct job job;
	enum job_rw rw;
	unsigned mix_read;		/* rwmixread */
	unsigned kb_base;
	bool idle;			/* stortop_idle: nothing is read or written */
	bool depth_stays_one;		/* a synchronous engine was named */
	const struct job_line *phases;	/* stortop_phases, put together when all sections are known */
	const struct job_line *depth;	/* where iodepth was said */
	const struct job_line *delay;	/* where startdelay was */
};

/* One assignment. */
struct job_setting {
	struct job_draft *draft;
	const struct job_option *option;
	const struct job_line *line;
	const char *value;		/* "1" for a key that may be bare */
	struct pool *pool;		/* for what the job keeps */
	char problem[200];		/* filled when false is returned: what is wrong with the value */
};

struct job_option {
	const char *name;		/* a * at the end stands for anything */
	const char *alias;		/* or NULL */
	bool (*set)(struct job_setting *);	/* NULL: refused, or ignored */
	bool ignored;
	bool first;			/* others depend on it: set before them, wherever it stands in its section */
	size_t at;			/* where it goes: offset in struct job_draft */
	uint64_t min, max;		/* of a number; unit in ns of a time */
	const char *text;		/* what it is, or why it is ignored or refused */
};

extern const struct job_option job_option_table[];	/* ends with a NULL name */
const struct job_option *job_option_find(const char *key);
/* Does the key alone stand for 1? */
bool job_option_may_be_bare(const struct job_option *);

/* Setters by the type of what they set at option->at. */
bool set_u32(struct job_setting *);	/* min to max */
bool set_u64(struct job_setting *);
bool set_bool(struct job_setting *);
bool set_not(struct job_setting *);	/* the opposite goes there */
bool set_size(struct job_setting *);	/* struct job_size */
bool set_time(struct job_setting *);	/* ns; a bare number is in units of min */
bool set_text(struct job_setting *);
bool set_only(struct job_setting *);	/* one of the words in option->text before its colon, which change nothing */

/* Those of one option. */
bool set_rw(struct job_setting *);
bool set_bs(struct job_setting *);
bool set_bsrange(struct job_setting *);
bool set_bssplit(struct job_setting *);
bool set_blockalign(struct job_setting *);
bool set_percentage_random(struct job_setting *);
bool set_mix_write(struct job_setting *);
bool set_distribution(struct job_setting *);
bool set_rate(struct job_setting *);
bool set_rate_iops(struct job_setting *);
bool set_rate_process(struct job_setting *);
bool set_think_type(struct job_setting *);
bool set_burst_delay(struct job_setting *);
bool set_startdelay(struct job_setting *);
bool set_engine(struct job_setting *);
bool set_depth(struct job_setting *);
bool set_phases(struct job_setting *);
bool set_sync(struct job_setting *);
bool set_kb_base(struct job_setting *);
bool set_zero_buffers(struct job_setting *);

/* For setters. */
__attribute__((format(printf, 2, 3))) bool job_problem(struct job_setting *, const char *format, ...);	/* false */
/* Cuts at the first of these outside of parentheses: text ends there, and the rest behind it is returned; NULL: there is none. */
char *job_cut(char *text, const char *separators);
char *job_trim(char *text);
/* A copy of the value cut at commas: for reads, writes and trims. How many there are, up to 3; 0 with a problem: more. */
size_t job_ways(struct job_setting *, char *ways[static 3]);

#endif

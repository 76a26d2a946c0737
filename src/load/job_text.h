/*
 * The text of a job file as sections and assignments, before anything is made of them: comments, include and ${VAR} are
 * dealt with here. One thread.
 */
#ifndef LOAD_JOB_TEXT_H
#define LOAD_JOB_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct pool;

struct job_line {
	const char *key;
	const char *value;	/* NULL: a bare key */
	const char *file;
	unsigned line;
	bool spaced;		/* blanks before the value */
	const char *unset;	/* a variable of the value that the environment does not have; NULL: none */
};

struct job_section {
	const char *name;
	const char *file;
	unsigned line;
	bool global;		/* defaults for the sections below it */
	struct job_line *lines;
	size_t n_lines;
};

struct job_text {
	struct job_section *sections;
	size_t n_sections;
};

/*
 * Strings go to the pool; job_text_free() frees the rest, also after an error. 0, or -EINVAL with "FILE:LINE: what is wrong" in why.
 * `file` is the name for messages; what it includes is looked for as fio
 * does: from where the program runs, then beside the file.
 */
int job_text_parse(struct job_text *, struct pool *, const char *file, const char *text, size_t len, char *why, size_t size);
void job_text_free(struct job_text *);

/*
 * A whole file, at most 1 MiB, in *text, which the caller frees. 0 or -errno: -EFBIG where it is larger. With `regular` anything else
 * than a regular file is -EINVAL, and nothing is waited for.
 */
int job_text_read(const char *path, bool regular, char **text, size_t *len);

#endif

/* Texts of jobs for tests, all of a file "t.fio". */
#ifndef TESTS_LOAD_JOBS_H
#define TESTS_LOAD_JOBS_H

#include "load/job.h"

/* Fails the test where it is refused. */
struct job_file *job_of(const char *text);
/* The same of one section [w] with these lines, and its only job. */
struct job_file *job_of_lines(const char *lines, const struct job **job);
/* Fails where it is taken, or refused with another message. */
void job_refused(const char *text, const char *message);

#endif

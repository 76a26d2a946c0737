#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "load/job.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/* What the engine may take for granted. */
static void
check_pattern(const struct job_pattern *p)
{
	for (int dir = 0; dir < JOB_DIRS; dir++) {
		unsigned sum = 0;

		if (p->bs[dir] == 0 || p->bs_max[dir] < p->bs[dir] || p->random_pct[dir] > 100 || !(p->rate_iops[dir] >= 0))
			abort();
		for (size_t i = 0; i < p->n_split[dir]; i++) {
			sum += p->split[dir][i].pct;
			if (p->split[dir][i].bytes < p->bs[dir] || p->split[dir][i].bytes > p->bs_max[dir])
				abort();
		}
		if (p->n_split[dir] > 0 && sum != 100)
			abort();
	}
	if (p->read_pct > 100 || p->repeat == 0 || p->burst == 0 || p->think_blocks == 0)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char why[200] = "";
	struct job_file *file = job_parse("fuzz", (const char *)data, size, why, sizeof(why));
	unsigned workers = 0;

	if (file == NULL) {
		if (strncmp(why, "fuzz:", 5) != 0 && strchr(why, ':') == NULL)
			abort();
		return 0;
	}
	if (file->n_jobs == 0)
		abort();
	for (size_t i = 0; i < file->n_jobs; i++) {
		const struct job *job = &file->jobs[i];

		check_pattern(&job->pattern);
		for (size_t k = 0; k < job->n_phases; k++)
			check_pattern(&job->phases[k].pattern);
		job_largest_block(job);
		workers += job->numjobs;
		if (job->iodepth == 0 || job->loops == 0 || job->name[0] == 0)
			abort();
	}
	if (workers > 4096)
		abort();
	job_writes(file);
	job_free(file);
	return 0;
}

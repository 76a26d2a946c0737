#include "load/pace.h"

#include <math.h>

#include "core/clock.h"

void
pace_init(struct pace *p, const struct job_pattern *job, uint64_t now_ns, uint64_t seed)
{
	*p = (struct pace){ .job = job, .start_ns = now_ns, .rng = { .state = seed } };
	for (int dir = 0; dir < JOB_DIRS; dir++) {
		p->rated[dir] = job->rate_bytes_s[dir] > 0 || job->rate_iops[dir] > 0;
		p->any_rate = p->any_rate || p->rated[dir];
	}
	p->bursts = job->delay_ns > 0;
	p->burst_ns = now_ns + job->delay_ns;
	p->left = job->burst > 0 ? job->burst : 1;
	p->thinks = job->think_ns > 0;
	p->until_counted = job->think_blocks;
	p->active_ns = now_ns;
}

bool
pace_paced(const struct pace *p)
{
	return p->any_rate || p->bursts || p->thinks;
}

static uint64_t
rate_due(const struct pace *p, enum io_dir dir)
{
	return p->start_ns + (uint64_t)p->after_ns[dir];
}

enum io_dir
pace_direction(const struct pace *p, enum io_dir wanted, uint64_t now_ns)
{
	enum io_dir other = wanted == IO_READ ? IO_WRITE : IO_READ;

	if (p->job->read_pct == 0 || p->job->read_pct == 100 || !p->rated[wanted])
		return wanted;
	if (p->rated[other])
		return rate_due(p, other) < rate_due(p, wanted) ? other : wanted;
	return rate_due(p, wanted) > now_ns ? other : wanted;
}

uint64_t
pace_due(const struct pace *p, enum io_dir dir)
{
	if (p->rated[dir])
		return rate_due(p, dir);
	return p->bursts ? p->burst_ns : 0;
}

uint64_t
pace_next(const struct pace *p, enum io_dir dir)
{
	uint64_t due = pace_due(p, dir);

	if (p->think == PACE_QUIESCE)
		return PACE_NEVER;
	if (p->think == PACE_PAUSE && p->pause_until_ns > due)
		return p->pause_until_ns;
	return due;
}

/* From one I/O of this direction to the next, on the mean or at random about it. */
static double
gap_ns(struct pace *p, enum io_dir dir, uint32_t bytes)
{
	double iops = p->job->rate_iops[dir], bytes_s = (double)p->job->rate_bytes_s[dir], gap = 0;

	if (iops > 0)
		gap = 1e9 / iops;
	if (bytes_s > 0)
		gap = fmax(gap, 1e9 * bytes / bytes_s);
	return p->job->poisson ? -log(1 - rng_unit(&p->rng)) * gap : gap;
}

/*
 * The delay counts from the last issue. What waking up took is not the job's: only where the I/O had to wait for a place
 * in the queue, and started well after its time, does the schedule move.
 */
static void
burst_issued(struct pace *p, uint64_t now_ns)
{
	uint64_t from = now_ns > p->burst_ns + PACE_SLACK_NS ? now_ns : p->burst_ns;

	if (--p->left > 0)
		return;
	p->left = p->job->burst > 0 ? p->job->burst : 1;
	p->burst_ns = from + p->job->delay_ns;
}

/* A pause is due: it begins when nothing is in flight. */
static void
count_block(struct pace *p, unsigned n, uint64_t now_ns)
{
	p->counted += n;
	if (p->think == PACE_PAUSE && now_ns >= p->pause_until_ns)
		p->think = PACE_RUN;
	if (p->think != PACE_RUN)
		return;
	if (p->job->think_iotime_ns > 0 ? now_ns - p->active_ns >= p->job->think_iotime_ns : p->counted >= p->until_counted)
		p->think = PACE_QUIESCE;
}

bool
pace_issued(struct pace *p, enum io_dir dir, uint32_t bytes, uint64_t now_ns)
{
	uint64_t due = pace_due(p, dir);

	if (p->rated[dir])
		p->after_ns[dir] += gap_ns(p, dir, bytes);
	if (p->bursts)
		burst_issued(p, now_ns);
	if (p->thinks && p->job->think_issue)
		count_block(p, 1, now_ns);
	return due > 0 && now_ns > due + PACE_SLACK_NS;
}

void
pace_completed(struct pace *p, unsigned n, unsigned in_flight, uint64_t now_ns)
{
	if (!p->thinks)
		return;
	if (!p->job->think_issue)
		count_block(p, n, now_ns);
	if (p->think != PACE_QUIESCE || in_flight > 0)
		return;
	p->think = PACE_PAUSE;
	p->spin_until_ns = now_ns + p->job->think_spin_ns;
	p->pause_until_ns = now_ns + p->job->think_ns;
	if (p->spin_until_ns > p->pause_until_ns)
		p->pause_until_ns = p->spin_until_ns;
	p->until_counted = p->counted + p->job->think_blocks;
	p->active_ns = p->pause_until_ns;
}

uint64_t
pace_spin(const struct pace *p)
{
	return p->think == PACE_PAUSE ? p->spin_until_ns : 0;
}

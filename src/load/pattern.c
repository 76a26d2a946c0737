#include "load/pattern.h"

void
pattern_init(struct pattern *p, const struct job_pattern *job, uint64_t start, uint64_t bytes, uint64_t seed)
{
	*p = (struct pattern){ .job = job, .start = start, .end = start + bytes, .rng = { .state = seed } };
	p->by = job->distribution != DIST_RANDOM ? PLACE_SPREAD : job->random_map ? PLACE_MAP : PLACE_EVEN;
	p->map_of[IO_WRITE] = job->bs[IO_READ] == job->bs[IO_WRITE] ? IO_READ : IO_WRITE;
	for (int dir = 0; dir < JOB_DIRS; dir++) {
		uint64_t place_seed = rng_next(&p->rng);

		p->position[dir] = start;
		p->place_bytes[dir] = job->align[dir] > 0 ? job->align[dir] : job->bs[dir];
		p->places[dir] = bytes > p->place_bytes[dir] ? bytes / p->place_bytes[dir] : 1;
		shuffle_init(&p->map[dir], p->places[dir], place_seed);
		/* Both directions have the same hot places. */
		if (p->by == PLACE_SPREAD)
			spread_init(&p->spread[dir], job, p->places[dir], p->place_bytes[dir], seed);
	}
}

void
pattern_free(struct pattern *p)
{
	for (int dir = 0; dir < JOB_DIRS; dir++)
		spread_free(&p->spread[dir]);
}

static uint32_t
split_size(struct pattern *p, enum io_dir dir)
{
	const struct job_split *split = p->job->split[dir];
	unsigned draw = (unsigned)rng_below(&p->rng, 100);
	size_t i = 0;

	for (; i + 1 < p->job->n_split[dir] && draw >= split[i].pct; i++)
		draw -= split[i].pct;
	return split[i].bytes;
}

static uint32_t
size_of(struct pattern *p, enum io_dir dir)
{
	const struct job_pattern *job = p->job;
	uint32_t bs = job->bs[dir];
	uint64_t bytes;

	if (job->split[dir] != NULL)
		return split_size(p, dir);
	if (job->bs_max[dir] <= bs)
		return bs;
	/* A range: whole multiples of its smallest, and what would be above its largest is that, as in fio: 4k-10k are 4k, 8k, 10k. */
	bytes = bs + rng_below(&p->rng, job->bs_max[dir]);
	bytes -= bytes % bs;
	return bytes < job->bs_max[dir] ? (uint32_t)bytes : job->bs_max[dir];
}

static bool
jumps(struct pattern *p, enum io_dir dir)
{
	const struct job_pattern *job = p->job;

	if (!job->random)
		return false;
	if (job->repeat > 1) {
		if (p->repeats > 0) {
			p->repeats--;
			return false;
		}
		p->repeats = job->repeat - 1;
		return true;
	}
	return rng_chance(&p->rng, job->random_pct[dir]);
}

static uint64_t
random_place(struct pattern *p, enum io_dir dir)
{
	switch (p->by) {
	case PLACE_MAP:
		return shuffle_next(&p->map[p->map_of[dir]]);
	case PLACE_SPREAD:
		return spread_next(&p->spread[dir], &p->rng);
	default:
		return rng_below(&p->rng, p->places[dir]);
	}
}

void
pattern_place(struct pattern *p, enum io_dir dir, struct io *io)
{
	const struct job_pattern *job = p->job;
	uint32_t bytes = size_of(p, dir);
	uint64_t offset, place = p->place_bytes[dir];

	if (jumps(p, dir)) {
		offset = p->start + random_place(p, dir) * place;
		/* A block larger than its place: the last that fits. */
		if (offset + bytes > p->end)
			offset = p->start + (p->end - p->start - bytes) / place * place;
	} else {
		offset = p->position[dir];
		if (offset + bytes > p->end)
			offset = p->start;
	}
	p->position[dir] = offset + bytes + (job->random ? 0 : job->skip_bytes);
	io->dir = (uint8_t)dir;
	io->bytes = bytes;
	io->offset = offset;
}

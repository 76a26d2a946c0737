#include "load/feed.h"

#include <stdlib.h>

#include "core/xalloc.h"

static uint64_t
times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* A pass ends with the last block that fits; one in order with holes has fewer of them. 0: more than one size. */
static uint64_t
pass_bytes(const struct job_pattern *p, uint64_t area_bytes)
{
	enum io_dir dir = p->read_pct > 0 ? IO_READ : IO_WRITE;
	bool mixed = p->read_pct > 0 && p->read_pct < 100;
	uint64_t bs = p->bs[dir], skip = p->random || mixed ? 0 : p->skip_bytes;

	if (bs != p->bs_max[dir] || bs > area_bytes || (mixed && (p->bs[IO_WRITE] != bs || p->bs_max[IO_WRITE] != bs)))
		return 0;
	return ((area_bytes - bs) / (bs + skip) + 1) * bs;
}

uint64_t
feed_amount(const struct job *job, uint64_t area_bytes)
{
	uint64_t pass = job->n_phases == 0 && job->number_ios == 0 ? pass_bytes(&job->pattern, area_bytes) : 0;
	uint64_t bytes = pass > 0 ? pass : area_bytes;

	if (job->io_size.bytes > 0)
		bytes = job->io_size.bytes;
	else if (job->io_size.pct > 0)
		bytes = (uint64_t)((double)area_bytes * job->io_size.pct / 100);
	return times(bytes, job->loops > 0 ? job->loops : 1);
}

static const struct job_pattern *
phase_pattern(const struct feed *f)
{
	return f->job->n_phases > 0 ? &f->job->phases[f->phase].pattern : &f->job->pattern;
}

static struct pattern *
at_hand(const struct feed *f)
{
	return &f->patterns[f->phase * f->n_files + f->file];
}

/* The pace of a phase begins with it. */
static void
begin_phase(struct feed *f, uint64_t now_ns)
{
	f->phase_end_ns = f->job->n_phases > 1 ? now_ns + f->job->phases[f->phase].ns : UINT64_MAX;
	pace_init(&f->pace, phase_pattern(f), now_ns, f->seed++);
	f->paced = pace_paced(&f->pace);
	f->wanted = -1;
}

void
feed_init(struct feed *f, const struct job *job, uint64_t area_start, uint64_t area_bytes, uint64_t amount, uint64_t seed,
    uint64_t now_ns)
{
	*f = (struct feed){ .job = job, .seed = rng_mix(seed) };
	f->n_phases = job->n_phases > 0 ? job->n_phases : 1;
	f->n_files = job->nrfiles > 0 ? job->nrfiles : 1;
	f->patterns = xcalloc(f->n_phases, f->n_files * sizeof(*f->patterns));
	for (f->phase = 0; f->phase < f->n_phases; f->phase++)
		for (f->file = 0; f->file < f->n_files; f->file++)
			pattern_init(at_hand(f), phase_pattern(f), area_start + f->file * (area_bytes / f->n_files),
			    area_bytes / f->n_files, seed + f->phase + f->file * f->n_phases);
	f->phase = f->file = 0;
	f->left_bytes = amount;
	f->left_ios = job->number_ios > 0 ? times(job->number_ios, job->loops > 0 ? job->loops : 1) : UINT64_MAX;
	f->until_fsync = job->fsync;
	f->until_fdatasync = job->fdatasync;
	begin_phase(f, now_ns);
}

void
feed_free(struct feed *f)
{
	for (size_t i = 0; i < f->n_phases * f->n_files; i++)
		pattern_free(&f->patterns[i]);
	free(f->patterns);
	f->patterns = NULL;
	f->n_phases = f->n_files = 0;
}

static void
next_sync(struct feed *f, struct io *io)
{
	io->dir = IO_SYNC;
	io->data_only = !f->fsync_due;
	io->offset = 0;
	io->bytes = 0;
	io->due_ns = 0;
	*(f->fsync_due ? &f->fsync_due : &f->fdatasync_due) = false;
}

static void
count_write(struct feed *f)
{
	if (f->job->fsync > 0 && --f->until_fsync == 0) {
		f->until_fsync = f->job->fsync;
		f->fsync_due = true;
	}
	if (f->job->fdatasync > 0 && --f->until_fdatasync == 0) {
		f->until_fdatasync = f->job->fdatasync;
		f->fdatasync_due = true;
	}
}

static void
spend(struct feed *f, const struct io *io)
{
	if (f->left_bytes != UINT64_MAX)
		f->left_bytes -= io->bytes < f->left_bytes ? io->bytes : f->left_bytes;
	if (f->left_ios != UINT64_MAX)
		f->left_ios--;
	if (io->dir == IO_WRITE)
		count_write(f);
}

/* Chooses a direction that may start now into f->wanted; false: none may. */
static bool
paced_direction(struct feed *f, uint64_t now_ns, uint64_t *wait_ns, enum io_dir *dir)
{
	if (f->wanted < 0)
		f->wanted = pattern_direction(at_hand(f));
	*dir = pace_direction(&f->pace, (enum io_dir)f->wanted, now_ns);
	*wait_ns = pace_next(&f->pace, *dir);
	if (*wait_ns > now_ns)
		return false;
	if ((int)*dir == f->wanted)
		f->wanted = -1;
	return true;
}

enum feed_answer
feed_next(struct feed *f, struct io *io, uint64_t now_ns, uint64_t *wait_ns, bool *late)
{
	enum io_dir dir;

	if (now_ns >= f->phase_end_ns) {
		f->phase = (f->phase + 1) % f->n_phases;
		begin_phase(f, now_ns);
	}
	if (f->fsync_due || f->fdatasync_due) {
		next_sync(f, io);
		return FEED_IO;
	}
	if (f->left_bytes == 0 || f->left_ios == 0)
		return FEED_END;
	if (!f->paced) {
		dir = pattern_direction(at_hand(f));
		io->due_ns = 0;
	} else {
		if (!paced_direction(f, now_ns, wait_ns, &dir))
			return FEED_WAIT;
		io->due_ns = pace_due(&f->pace, dir);
	}
	pattern_place(at_hand(f), dir, io);
	if (++f->file == f->n_files)
		f->file = 0;
	if (f->paced && pace_issued(&f->pace, dir, io->bytes, now_ns))
		*late = true;
	spend(f, io);
	return FEED_IO;
}

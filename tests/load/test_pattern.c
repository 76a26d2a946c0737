#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "load/feed.h"
#include "load/pattern.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

/* Random 4 KiB reads, as fio's defaults have it. */
static struct job_pattern
randread(void)
{
	return (struct job_pattern) { .random = true, .read_pct = 100, .random_pct = { 100, 100 }, .bs = { 4096, 4096 },
		.bs_max = { 4096, 4096 }, .repeat = 1, .random_map = true, .centre = -1 };
}

static struct io
next(struct pattern *p)
{
	struct io io = { 0 };

	pattern_place(p, pattern_direction(p), &io);
	return io;
}

static void
shuffle_is_a_permutation(void **state)
{
	static const uint64_t sizes[] = { 1, 2, 3, 7, 8, 9, 255, 256, 257, 1000, 65537 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint64_t n = sizes[i];
		unsigned char *seen = calloc(n, 1);
		struct shuffle s;

		shuffle_init(&s, n, 42 + i);
		for (unsigned pass = 1; pass <= 3; pass++)
			for (uint64_t k = 0; k < n; k++) {
				uint64_t at = shuffle_next(&s);

				assert_true(at < n);
				assert_int_equal(++seen[at], pass);
			}
		free(seen);
	}
}

/* Neighbours in the order are neighbours in place about as seldom as by chance (2 of 65536), and passes differ. */
static void
shuffle_looks_random(void **state)
{
	enum { N = 65536, PARTS = 16 };
	unsigned parts[PARTS] = { 0 }, neighbours = 0, same = 0;
	uint64_t first[64], last = N;
	struct shuffle s;

	(void)state;
	shuffle_init(&s, N, 7);
	for (unsigned i = 0; i < N; i++) {
		uint64_t at = shuffle_next(&s);

		neighbours += at == last + 1;
		last = at;
		if (i < 64)
			first[i] = at;
		/* The first sixteenth of the pass is spread over the area: 256 each, give or take 6 sigma of 15.5. */
		if (i < N / 16)
			parts[at / (N / PARTS)]++;
	}
	assert_true(neighbours < 10);
	for (unsigned i = 0; i < PARTS; i++)
		assert_in_range(parts[i], 256 - 93, 256 + 93);
	for (unsigned i = 0; i < 64; i++)
		same += shuffle_next(&s) == first[i];
	assert_true(same < 4);
}

static void
every_block_once_a_pass(void **state)
{
	struct job_pattern job = randread();
	unsigned char seen[256] = { 0 };
	struct pattern p;

	(void)state;
	pattern_init(&p, &job, 3 * MIB, MIB, 1);
	for (unsigned i = 0; i < 2 * 256; i++) {
		struct io io = next(&p);

		assert_int_equal(io.dir, IO_READ);
		assert_int_equal(io.bytes, 4096);
		assert_int_equal(io.offset % 4096, 0);
		assert_in_range(io.offset, 3 * MIB, 4 * MIB - 4096);
		seen[(io.offset - 3 * MIB) / 4096]++;
	}
	for (unsigned i = 0; i < 256; i++)
		assert_int_equal(seen[i], 2);
	pattern_free(&p);
}

/* 70 % of 100000 is 70000 with a standard deviation of 145; a fixed seed, so the same every time. */
static void
mixes_are_independent(void **state)
{
	struct job_pattern job = randread();
	unsigned reads = 0, jumps = 0, jumped_reads = 0;
	uint64_t ends[JOB_DIRS] = { 0 };
	struct pattern p;

	(void)state;
	job.read_pct = 70;
	job.random_pct[IO_READ] = job.random_pct[IO_WRITE] = 80;
	pattern_init(&p, &job, 0, UINT64_C(1) << 40, 5);
	for (unsigned i = 0; i < 100000; i++) {
		struct io io = next(&p);
		bool jumped = io.offset != ends[io.dir];

		reads += io.dir == IO_READ;
		jumps += jumped;
		jumped_reads += jumped && io.dir == IO_READ;
		ends[io.dir] = io.offset + io.bytes;
	}
	assert_in_range(reads, 69100, 70900);
	assert_in_range(jumps, 79200, 80800);
	assert_in_range(jumped_reads, 55000, 57000);	/* 0.7 x 0.8 */
	pattern_free(&p);
}

static void
sequential_wraps(void **state)
{
	struct job_pattern job = randread();
	struct pattern p;

	(void)state;
	job.random = false;
	pattern_init(&p, &job, 8192, 3 * 4096 + 512, 1);
	for (unsigned i = 0; i < 7; i++)
		assert_int_equal(next(&p).offset, 8192 + i % 3 * 4096);
	pattern_free(&p);
}

/* Reads and writes of a sequential mix are two streams, each of which goes on where it was. */
static void
sequential_mix_is_two_streams(void **state)
{
	struct job_pattern job = randread();
	uint64_t ends[JOB_DIRS] = { 0 };
	struct pattern p;

	(void)state;
	job.random = false;
	job.read_pct = 20;
	job.bs[IO_WRITE] = job.bs_max[IO_WRITE] = 8192;
	pattern_init(&p, &job, 0, 1024 * MIB, 1);
	for (unsigned i = 0; i < 1000; i++) {
		struct io io = next(&p);

		assert_int_equal(io.offset, ends[io.dir]);
		assert_int_equal(io.bytes, io.dir == IO_READ ? 4096 : 8192);
		ends[io.dir] += io.bytes;
	}
	assert_true(ends[IO_READ] > 0 && ends[IO_WRITE] > 0);
	pattern_free(&p);
}

static void
holes_and_repeats(void **state)
{
	struct job_pattern job = randread();
	struct pattern p;
	uint64_t start = 0;

	(void)state;
	job.random = false;
	job.skip_bytes = 4096;
	pattern_init(&p, &job, 0, MIB, 1);
	assert_int_equal(next(&p).offset, 0);
	assert_int_equal(next(&p).offset, 8192);
	assert_int_equal(next(&p).offset, 16384);
	pattern_free(&p);

	job = randread();
	job.repeat = 4;
	job.random_map = false;
	pattern_init(&p, &job, 0, UINT64_C(1) << 40, 1);
	for (unsigned i = 0; i < 40; i++) {
		struct io io = next(&p);

		if (i % 4 == 0)
			start = io.offset;
		assert_int_equal(io.offset, start + i % 4 * 4096);
	}
	pattern_free(&p);
}

/* Sizes have their shares, and a large block at the end of the area stays inside. */
static void
splits(void **state)
{
	static const struct job_split split[] = { { 4096, 60 }, { 65536, 40 } };
	struct job_pattern job = randread();
	unsigned small = 0;
	struct pattern p;

	(void)state;
	job.split[IO_READ] = split;
	job.n_split[IO_READ] = 2;
	job.bs_max[IO_READ] = 65536;
	pattern_init(&p, &job, 0, MIB, 9);
	for (unsigned i = 0; i < 10000; i++) {
		struct io io = next(&p);

		assert_true(io.bytes == 4096 || io.bytes == 65536);
		assert_true(io.offset + io.bytes <= MIB);
		assert_int_equal(io.offset % 4096, 0);
		small += io.bytes == 4096;
	}
	assert_in_range(small, 5700, 6300);
	pattern_free(&p);
}

static void
ranges(void **state)
{
	struct job_pattern job = randread();
	unsigned of[5] = { 0 };
	struct pattern p;

	(void)state;
	job.bs_max[IO_READ] = 16384;
	pattern_init(&p, &job, 0, MIB, 9);
	for (unsigned i = 0; i < 8000; i++)
		of[next(&p).bytes / 4096]++;
	assert_int_equal(of[0], 0);
	for (unsigned i = 1; i <= 4; i++)
		assert_in_range(of[i], 1800, 2200);
	pattern_free(&p);
}

/* 4k-10k: from 4096 on 10240 are drawn, 4096 each are 4 KiB and 8 KiB, the last 2048 are 10 KiB. */
static void
ranges_reach_their_largest(void **state)
{
	struct job_pattern job = randread();
	unsigned of[11] = { 0 };
	struct pattern p;

	(void)state;
	job.bs_max[IO_READ] = 10240;
	pattern_init(&p, &job, 0, MIB, 9);
	for (unsigned i = 0; i < 10000; i++)
		of[next(&p).bytes / 1024]++;
	assert_in_range(of[4], 3800, 4200);
	assert_in_range(of[8], 3800, 4200);
	assert_in_range(of[10], 1840, 2160);
	assert_int_equal(of[4] + of[8] + of[10], 10000);
	pattern_free(&p);
}

/* How many I/Os, of what size and together, a job does on an area. */
static unsigned
feed_all(struct job *job, uint64_t area_bytes, uint64_t *bytes)
{
	uint64_t wait_ns = 0;
	unsigned n = 0;
	struct feed f;
	struct io io;
	bool late;

	*bytes = 0;
	feed_init(&f, job, 0, area_bytes, feed_amount(job, area_bytes), 1, 1);
	while (n < 1000 && feed_next(&f, &io, 1, &wait_ns, &late) == FEED_IO) {
		*bytes += io.bytes;
		n++;
	}
	feed_free(&f);
	return n;
}

/* As fio's iolog shows for the same jobs. */
static void
passes(void **state)
{
	struct job job = { .loops = 1, .pattern = randread() };
	uint64_t bytes;

	(void)state;
	/* 64 KiB are two whole blocks of 24 KiB. */
	job.pattern.bs[IO_READ] = job.pattern.bs_max[IO_READ] = 24 * 1024;
	assert_int_equal(feed_all(&job, 64 * KIB, &bytes), 2);
	assert_int_equal(bytes, 48 * KIB);
	/* In order with holes: at 0, 12, 24, 36, 48 and 60 KiB. */
	job.pattern = randread();
	job.pattern.random = job.pattern.random_map = false;
	job.pattern.skip_bytes = 8192;
	assert_int_equal(feed_all(&job, 64 * KIB, &bytes), 6);
	job.loops = 2;
	assert_int_equal(feed_all(&job, 64 * KIB, &bytes), 12);
	/* io_size goes on at the beginning again, and a number of I/Os too, for each pass. */
	job.loops = 1;
	job.io_size.bytes = 48 * KIB;
	assert_int_equal(feed_all(&job, 64 * KIB, &bytes), 12);
	job.io_size.bytes = 0;
	job.number_ios = 5;
	job.loops = 2;
	assert_int_equal(feed_all(&job, 64 * KIB, &bytes), 10);
	/* A mix with holes goes by bytes. */
	job.number_ios = 0;
	job.loops = 1;
	job.pattern.read_pct = 50;
	assert_int_equal(feed_all(&job, 64 * KIB, &bytes), 16);
}

/* 4 KiB at multiples of 16 KiB: four places in 64 KiB, and 64 KiB blocks at the first alone. */
static void
places_apart_from_blocks(void **state)
{
	static const struct job_split split[] = { { 4096, 75 }, { 65536, 25 } };
	struct job_pattern job = randread();
	unsigned of[4] = { 0 };
	struct pattern p;

	(void)state;
	job.random_map = false;
	job.align[IO_READ] = job.align[IO_WRITE] = 16384;
	pattern_init(&p, &job, MIB, 64 * KIB, 3);
	for (unsigned i = 0; i < 4000; i++) {
		struct io io = next(&p);

		assert_int_equal((io.offset - MIB) % 16384, 0);
		of[(io.offset - MIB) / 16384]++;
	}
	for (unsigned i = 0; i < 4; i++)
		assert_in_range(of[i], 850, 1150);
	pattern_free(&p);

	job.split[IO_READ] = split;
	job.n_split[IO_READ] = 2;
	job.bs_max[IO_READ] = 65536;
	pattern_init(&p, &job, MIB, 64 * KIB, 3);
	for (unsigned i = 0; i < 400; i++) {
		struct io io = next(&p);

		if (io.bytes == 65536)
			assert_int_equal(io.offset, MIB);
	}
	pattern_free(&p);
}

/* How often each of n places comes in `draws`. */
static unsigned *
counts(struct job_pattern *job, uint64_t n, unsigned draws)
{
	unsigned *of = calloc(n, sizeof(*of));
	struct pattern p;

	job->random_map = false;
	pattern_init(&p, job, 0, n * 4096, 11);
	for (unsigned i = 0; i < draws; i++)
		of[next(&p).offset / 4096]++;
	pattern_free(&p);
	return of;
}

/*
 * zipf over 1000 places, theta 1.2: weights k^-1.2, whose sum is 4.3358; so 23.06 % for the first (23057 of 100000, sigma
 * 133), 10.04 % for the second. With a centre the ranks stay in order from there on.
 */
static void
zipf(void **state)
{
	struct job_pattern job = randread();
	unsigned *of, sorted = 0;

	(void)state;
	job.distribution = DIST_ZIPF;
	job.theta = 1.2;
	job.centre = 0.5;
	of = counts(&job, 1000, 100000);
	assert_in_range(of[500], 22250, 23860);
	assert_in_range(of[501], 9450, 10620);
	assert_true(of[999] + of[0] + of[499] < 200);
	free(of);

	job.centre = -1;
	of = counts(&job, 1000, 100000);
	for (unsigned i = 0; i < 1000; i++)
		sorted += of[i] >= 22250;
	assert_int_equal(sorted, 1);	/* the hottest is somewhere, once */
	assert_true(of[0] < 22250 || of[1] < 9000);
	free(of);
}

/* pareto:0.2: the smaller h, the fewer places take the accesses. P(place < x n) = x^(1/e), e = ln h / ln(1 - h). */
static void
pareto(void **state)
{
	struct job_pattern job = randread();
	unsigned *of, first = 0;

	(void)state;
	job.distribution = DIST_PARETO;
	job.theta = 0.2;
	job.centre = 0;
	of = counts(&job, 1000, 100000);
	for (unsigned i = 0; i < 200; i++)
		first += of[i];
	/* e = ln 0.2 / ln 0.8 = 7.2126; 0.2^(1/7.2126) = 0.8: 80 % of the accesses to 20 % of the places. */
	assert_in_range(first, 79300, 80700);
	free(of);
}

/* normal:10 over 1000 places: sigma 100, so 68.3 % within 400 to 600. */
static void
normal(void **state)
{
	struct job_pattern job = randread();
	unsigned *of, within = 0;

	(void)state;
	job.distribution = DIST_NORMAL;
	job.theta = 10;
	job.centre = 0;
	of = counts(&job, 1000, 100000);
	for (unsigned i = 400; i < 600; i++)
		within += of[i];
	assert_in_range(within, 67500, 69050);
	free(of);
}

static void
zoned(void **state)
{
	static const struct job_zone zones[] = { { .access_pct = 60, .size_pct = 10 }, { .access_pct = 30, .size_pct = 20 },
		{ .access_pct = 10, .size_pct = 70 } };
	struct job_pattern job = randread();
	unsigned *of, in[3] = { 0 };

	(void)state;
	job.distribution = DIST_ZONED;
	job.zones = zones;
	job.n_zones = 3;
	of = counts(&job, 1000, 100000);
	for (unsigned i = 0; i < 1000; i++) {
		in[i < 100 ? 0 : i < 300 ? 1 : 2] += of[i];
		assert_true(of[i] > 0);
	}
	assert_in_range(in[0], 59000, 61000);
	assert_in_range(in[1], 29000, 31000);
	assert_in_range(in[2], 9400, 10600);
	free(of);
}

/* Zones in bytes, the last of which reaches beyond the area. */
static void
zoned_abs(void **state)
{
	static const struct job_zone zones[] = { { .access_pct = 50, .bytes = 100 * 4096 }, { .access_pct = 50, .bytes = 1 << 30 } };
	struct job_pattern job = randread();
	unsigned *of, first = 0;

	(void)state;
	job.distribution = DIST_ZONED_ABS;
	job.zones = zones;
	job.n_zones = 2;
	of = counts(&job, 1000, 10000);
	for (unsigned i = 0; i < 100; i++)
		first += of[i];
	assert_in_range(first, 4700, 5300);
	free(of);
}

static void
seeds_decide(void **state)
{
	struct job_pattern job = randread();
	struct pattern a, b, c;
	unsigned equal = 0;

	(void)state;
	pattern_init(&a, &job, 0, 1024 * MIB, 77);
	pattern_init(&b, &job, 0, 1024 * MIB, 77);
	pattern_init(&c, &job, 0, 1024 * MIB, 78);
	for (unsigned i = 0; i < 100; i++) {
		uint64_t offset = next(&a).offset;

		assert_int_equal(next(&b).offset, offset);
		equal += next(&c).offset == offset;
	}
	assert_true(equal < 5);
	pattern_free(&a);
	pattern_free(&b);
	pattern_free(&c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shuffle_is_a_permutation),
		cmocka_unit_test(shuffle_looks_random),
		cmocka_unit_test(every_block_once_a_pass),
		cmocka_unit_test(mixes_are_independent),
		cmocka_unit_test(sequential_wraps),
		cmocka_unit_test(sequential_mix_is_two_streams),
		cmocka_unit_test(holes_and_repeats),
		cmocka_unit_test(splits),
		cmocka_unit_test(ranges),
		cmocka_unit_test(ranges_reach_their_largest),
		cmocka_unit_test(passes),
		cmocka_unit_test(places_apart_from_blocks),
		cmocka_unit_test(zipf),
		cmocka_unit_test(pareto),
		cmocka_unit_test(normal),
		cmocka_unit_test(zoned),
		cmocka_unit_test(zoned_abs),
		cmocka_unit_test(seeds_decide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Job files against fio's manual; figures worked out by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "load/job.h"
#include "load/job_number.h"
#include "load/job_option.h"
#include "tests/load/jobs.h"

static void
bytes(void **state)
{
	static const struct {
		const char *text;
		uint64_t by1024, by1000;
	} cases[] = {
		{ "0", 0, 0 }, { "7", 7, 7 }, { "0x1f", 31, 31 }, { "8k", 8192, 8000 }, { "8K", 8192, 8000 },
		{ "8kb", 8192, 8000 }, { "8ki", 8000, 8192 }, { "8KiB", 8000, 8192 }, { "3m", 3145728, 3000000 },
		{ "3mib", 3000000, 3145728 }, { "2g", 2147483648, 2000000000 }, { "1t", 1099511627776, 1000000000000 },
		{ "1p", 1125899906842624, 1000000000000000 }, { "512b", 512, 512 }, { "(4k*3+2)", 12290, 12002 },
		{ "(2 * (3 + 4))", 14, 14 }, { "(2^3^2)", 512, 512 }, { "(17 % 5 - -1)", 3, 3 }, { "(7/2)", 3, 3 },
		{ "18446744073709551615", UINT64_MAX, UINT64_MAX },
	};
	static const char *const wrong[] = {
		"", " 8k", "k", "8q", "8kk", "8kbb", "8 k", "-1", "1.5g", "0x", "18446744073709551616", "18447p", "(1", "(1)2",
		"(1/0)", "(1%0)", "(3-4)", "(", "()", "(8k8)", "(9^99)", "1e3", "8b8",
	};
	uint64_t value;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(number_bytes(cases[i].text, 1024, &value));
		assert_int_equal(value, cases[i].by1024);
		assert_true(number_bytes(cases[i].text, 1000, &value));
		assert_int_equal(value, cases[i].by1000);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (number_bytes(wrong[i], 1000, &value))
			fail_msg("taken: '%s'", wrong[i]);
	assert_false(number_bytes("16384p", 1024, &value));	/* 2^14 x 2^50 */
}

static void
times(void **state)
{
	uint64_t ns;

	(void)state;
	assert_true(number_time("90", 1000000000, &ns));
	assert_int_equal(ns, UINT64_C(90000000000));
	assert_true(number_time("250", 1000, &ns));
	assert_int_equal(ns, 250000);
	assert_true(number_time("5ms", 1000000000, &ns));
	assert_int_equal(ns, 5000000);
	assert_true(number_time("3us", 1000000000, &ns));
	assert_int_equal(ns, 3000);
	assert_true(number_time("2M", 1000, &ns));
	assert_int_equal(ns, UINT64_C(120000000000));
	assert_true(number_time("1h", 1000, &ns));
	assert_int_equal(ns, UINT64_C(3600000000000));
	assert_true(number_time("1d", 1000, &ns));
	assert_int_equal(ns, UINT64_C(86400000000000));
	assert_true(number_time("(2*3)", 1000000000, &ns));	/* microseconds within parentheses */
	assert_int_equal(ns, 6000);
	assert_true(number_time("(2s*3)", 1000000000, &ns));
	assert_int_equal(ns, UINT64_C(6000000000));
	assert_true(number_time("4611686018s", 1000, &ns));
	assert_false(number_time("4611686019s", 1000, &ns));	/* over 2^62 ns */
	assert_false(number_time("1k", 1000, &ns));
	assert_false(number_time("2sec", 1000000000, &ns)); /* two microseconds, to fio */
	assert_false(number_time("1h30m", 1000000000, &ns));
	assert_false(number_time("1.5", 1000, &ns));
	assert_false(number_time("20000000000", 1000000000, &ns));	/* 634 years in ns do not fit */
}

static void
defaults_are_those_of_fio(void **state)
{
	const struct job *job;
	struct job_file *file = job_of_lines("", &job);

	(void)state;
	assert_string_equal(file->name, "t.fio");
	assert_string_equal(job->name, "w");
	assert_int_equal(job->line, 1);
	assert_false(job->pattern.random);
	assert_int_equal(job->pattern.read_pct, 100);
	assert_int_equal(job->pattern.bs[IO_READ], 4096);
	assert_int_equal(job->pattern.bs_max[IO_WRITE], 4096);
	assert_int_equal(job->pattern.repeat, 1);
	assert_int_equal(job->pattern.burst, 1);
	assert_int_equal(job->pattern.think_blocks, 1);
	assert_int_equal(job->iodepth, 1);
	assert_int_equal(job->numjobs, 1);
	assert_int_equal(job->loops, 1);
	assert_int_equal(job->engine, ENGINE_AUTO);
	assert_false(job->direct);
	assert_true(job->randrepeat);
	assert_int_equal(job->runtime_ns, 0);
	assert_int_equal(file->n_notes, 0);
	assert_false(job_writes(file));
	job_free(file);
}

static void
types(void **state)
{
	static const struct {
		const char *lines;
		bool random;
		unsigned read_pct, repeat;
		uint64_t skip;
	} cases[] = {
		{ "rw=read", false, 100, 1, 0 }, { "rw=write", false, 0, 1, 0 }, { "readwrite=rw", false, 50, 1, 0 },
		{ "rw=readwrite\nrwmixread=20", false, 20, 1, 0 }, { "rw=randread:8", true, 100, 8, 0 },
		{ "rw=write:4k", false, 0, 1, 4096 }, { "rw=randrw\nrwmixwrite=45", true, 55, 1, 0 },
		{ "rwmixread=30\nrw=randwrite", true, 0, 1, 0 }, { "rw=randrw\nrwmixread=70\nrwmixwrite=10", true, 90, 1, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct job *job;
		struct job_file *file = job_of_lines(cases[i].lines, &job);

		assert_int_equal(job->pattern.random, cases[i].random);
		assert_int_equal(job->pattern.read_pct, cases[i].read_pct);
		assert_int_equal(job->pattern.repeat, cases[i].repeat);
		assert_int_equal(job->pattern.skip_bytes, cases[i].skip);
		assert_int_equal(job->pattern.random_map, cases[i].random);
		assert_int_equal(job_writes(file), cases[i].read_pct < 100);
		job_free(file);
	}
	job_refused("[w]\nrw=randtrim\n", "t.fio:2: rw: randtrim: not supported: nothing is discarded");
	job_refused("[w]\n\nrw=random\n", "t.fio:3: rw: random: must be read, write, rw, randread, randwrite or randrw");
	/* with a block it comes to 0 */
	job_refused("[w]\nrw=write:18446744073709547520\n", "t.fio:2: rw: 18446744073709547520: not a number of bytes to skip");
	job_refused("[w]\nrw=read:-8k\n", "t.fio:2: rw: -8k: not supported: sequential I/O goes forwards");
	job_refused("[w]\nrw=randread:0\n", "t.fio:2: rw: 0: not a number of I/Os of 1 or more");
}

static void
values_by_direction(void **state)
{
	const struct job *job;
	struct job_file *file = job_of_lines("rw=randrw\nbs=4k,8k,16k\npercentage_random=70,30\nrate=1m,2m\nrate_iops=300,500", &job);

	(void)state;
	assert_int_equal(job->pattern.bs[IO_READ], 4096);
	assert_int_equal(job->pattern.bs[IO_WRITE], 8192);
	assert_int_equal(job->pattern.random_pct[IO_READ], 70);
	assert_int_equal(job->pattern.random_pct[IO_WRITE], 30);
	assert_int_equal(job->pattern.rate_bytes_s[IO_READ], 1048576);
	assert_int_equal(job->pattern.rate_bytes_s[IO_WRITE], 2097152);
	assert_true(job->pattern.rate_iops[IO_READ] == 300);
	assert_true(job->pattern.rate_iops[IO_WRITE] == 500);
	assert_int_equal(job_largest_block(job), 8192);
	job_free(file);

	file = job_of_lines("bs=,16k\nrate=5k,\nrate_iops=7", &job);
	assert_int_equal(job->pattern.bs[IO_READ], 4096);
	assert_int_equal(job->pattern.bs[IO_WRITE], 16384);
	assert_int_equal(job->pattern.rate_bytes_s[IO_READ], 5120);
	assert_int_equal(job->pattern.rate_bytes_s[IO_WRITE], 0);
	assert_true(job->pattern.rate_iops[IO_READ] == 7);
	assert_true(job->pattern.rate_iops[IO_WRITE] == 7);
	assert_int_equal(job_largest_block(job), 4096);		/* it only reads */
	job_free(file);
	job_refused("[w]\nbs=1,2,3,4\n", "t.fio:2: bs: 1,2,3,4: at most three values: for reads, writes and trims");
	job_refused("[w]\nbs=0\n", "t.fio:2: bs: 0: not a block size from 1 to 1g");
	job_refused("[w]\nbs=2g\n", "t.fio:2: bs: 2g: not a block size from 1 to 1g");
	job_refused("[w]\nbs=\n", "t.fio:2: bs: needs a value: size of an I/O (4k)");
}

static void
block_ranges_and_splits(void **state)
{
	const struct job *job;
	const struct job_split *split;
	struct job_file *file = job_of_lines("rw=rw\nbsrange=1k-4k,2k:8k", &job);

	(void)state;
	assert_int_equal(job->pattern.bs[IO_READ], 1024);
	assert_int_equal(job->pattern.bs_max[IO_READ], 4096);
	assert_int_equal(job->pattern.bs[IO_WRITE], 2048);
	assert_int_equal(job->pattern.bs_max[IO_WRITE], 8192);
	job_free(file);

	file = job_of_lines("rw=rw\nbssplit=16k/60:4k/15:64k/:8k/5:32k,512/90:1k", &job);
	assert_int_equal(job->pattern.n_split[IO_READ], 5);
	split = job->pattern.split[IO_READ];
	assert_int_equal(split[0].bytes, 16384);
	assert_int_equal(split[0].pct, 60);
	assert_int_equal(split[1].pct, 15);
	assert_int_equal(split[2].bytes, 65536);
	assert_int_equal(split[2].pct, 10);	/* (100 - 80) / 2 */
	assert_int_equal(split[3].pct, 5);
	assert_int_equal(split[4].bytes, 32768);
	assert_int_equal(split[4].pct, 10);
	assert_int_equal(job->pattern.bs[IO_READ], 4096);
	assert_int_equal(job->pattern.bs_max[IO_READ], 65536);
	assert_int_equal(job->pattern.n_split[IO_WRITE], 2);
	assert_int_equal(job->pattern.split[IO_WRITE][1].pct, 10);
	assert_int_equal(job->pattern.bs_max[IO_WRITE], 1024);
	assert_int_equal(job_largest_block(job), 65536);
	job_free(file);

	/* Less than 100: the last one has the rest. */
	file = job_of_lines("bssplit=4k/30:8k/30", &job);
	assert_int_equal(job->pattern.split[IO_READ][1].pct, 70);
	job_free(file);
	/* A later bs wins. */
	file = job_of_lines("bssplit=4k/30:8k/70\nbs=2k", &job);
	assert_int_equal(job->pattern.n_split[IO_READ], 0);
	assert_int_equal(job->pattern.bs_max[IO_READ], 2048);
	job_free(file);
	file = job_of_lines("rw=randrw\nblockalign=4k,16k\nbssplit=4k/50:8k/50", &job);
	assert_int_equal(job->pattern.align[IO_READ], 4096);
	assert_int_equal(job->pattern.align[IO_WRITE], 16384);
	assert_false(job->pattern.random_map);
	job_free(file);
	file = job_of_lines("rw=randread\nba=4k\nbs=4k", &job);
	assert_true(job->pattern.random_map);
	job_free(file);
	job_refused("[w]\nbssplit=4k/60:8k/41\n", "t.fio:2: bssplit: 4k/60:8k/41: more than 100 per cent");
	job_refused("[w]\nbssplit=4k/x\n", "t.fio:2: bssplit: x: not a whole number of per cent from 0 to 100");
	job_refused("[w]\nbsrange=8k-4k\n", "t.fio:2: bsrange: 8k-4k: the second is the larger");
	job_refused("[w]\nbsrange=8k\n", "t.fio:2: bsrange: 8k: not a range like 4k-64k");
}

static void
sizes(void **state)
{
	const struct job *job;
	struct job_file *file = job_of_lines(
	    "size=20%\nio_size=150%\noffset=64m\noffset_increment=7m\nnumber_ios=77\nloops=4",
	    &job);

	(void)state;
	assert_int_equal(job->size.bytes, 0);
	assert_true(job->size.pct == 20);
	assert_true(job->io_size.pct == 150);
	assert_int_equal(job->offset.bytes, 67108864);
	assert_int_equal(job->offset_increment.bytes, 7340032);
	assert_int_equal(job->number_ios, 77);
	assert_int_equal(job->loops, 4);
	job_free(file);
	file = job_of_lines("number_ios=77\ntime_based", &job);
	assert_int_equal(job->number_ios, 0);
	job_free(file);
	/* The files are the area, 3 x 1 MiB, and no more than that is the amount. */
	file = job_of_lines("size=8m\nfilesize=1m\nnr_files=3", &job);
	assert_int_equal(job->size.bytes, 3145728);
	assert_int_equal(job->io_size.bytes, 0);
	job_free(file);
	file = job_of_lines("size=2m\nfilesize=1m\nnr_files=3", &job);
	assert_int_equal(job->size.bytes, 3145728);
	assert_int_equal(job->io_size.bytes, 2097152);
	job_free(file);
	file = job_of_lines("size=25%\nfilesize=1m", &job);
	assert_int_equal(job->size.bytes, 1048576);
	assert_true(job->size.pct == 0);
	assert_int_equal(job->io_size.bytes, 262144);
	job_free(file);
	file = job_of_lines("size=2m\nfilesize=4m\nio_size=7m", &job);
	assert_int_equal(job->size.bytes, 4194304);
	assert_int_equal(job->io_size.bytes, 7340032);
	job_free(file);
	file = job_of_lines("number_ios=1m\niodepth=2k\nfileoffset=3k", &job);
	assert_int_equal(job->number_ios, 1048576);
	assert_int_equal(job->iodepth, 2048);
	assert_int_equal(job->offset.bytes, 3072);
	job_free(file);
	file = job_of_lines("filesize=2m", &job);
	assert_int_equal(job->size.bytes, 2097152);
	job_free(file);
	file = job_of_lines("kb_base=1000\nsize=8k\nbs=1ki", &job);
	assert_int_equal(job->size.bytes, 8000);
	assert_int_equal(job->pattern.bs[IO_READ], 1024);
	job_free(file);
	/* It counts for the whole section, wherever it stands. */
	file = job_of_lines("size=8k\nkb_base=1000", &job);
	assert_int_equal(job->size.bytes, 8000);
	job_free(file);
	job_refused("[w]\nsize=101%\n", "t.fio:2: size: 101%: not a whole number of per cent from 0 to 100");
	job_refused("[w]\nfilesize=20%\n", "t.fio:2: filesize: 20%: not a whole number of per cent from 0 to 0");
	job_refused("[a]\ndirect=1\n[b]\nrw=read\n", "t.fio:3: direct: [b] goes through the page cache, [a] past it: one run does either");
	job_refused("[a]\n[b]\nbuffered=0\n", "t.fio:2: direct: [b] goes past the page cache, [a] through it: one run does either");
	job_refused("[w]\nfilesize=16383p\nnrfiles=65536\n", "t.fio:1: filesize: 65536 files of that size are too large");
}

static void
distributions(void **state)
{
	const struct job *job;
	struct job_file *file = job_of_lines("rw=randread\nrandom_distribution=zipf:1.2:0.25", &job);

	(void)state;
	assert_int_equal(job->pattern.distribution, DIST_ZIPF);
	assert_true(job->pattern.theta == 1.2);
	assert_true(job->pattern.centre == 0.25);
	assert_false(job->pattern.random_map);
	job_free(file);
	file = job_of_lines("rw=randread\nrandom_distribution=pareto", &job);
	assert_int_equal(job->pattern.distribution, DIST_PARETO);
	assert_true(job->pattern.theta == 0.2);
	assert_true(job->pattern.centre == -1);
	job_free(file);
	file = job_of_lines("rw=randread\nrandom_distribution=normal:7", &job);
	assert_int_equal(job->pattern.distribution, DIST_NORMAL);
	assert_true(job->pattern.theta == 7);
	job_free(file);
	file = job_of_lines("rw=randread\nrandom_distribution=zoned:60/10:30/20:8/30:2/", &job);
	assert_int_equal(job->pattern.distribution, DIST_ZONED);
	assert_int_equal(job->pattern.n_zones, 4);
	assert_true(job->pattern.zones[1].access_pct == 30);
	assert_true(job->pattern.zones[1].size_pct == 20);
	assert_true(job->pattern.zones[3].access_pct == 2);
	assert_true(job->pattern.zones[3].size_pct == 40);
	job_free(file);
	file = job_of_lines("rw=randread\nrandom_distribution=zoned_abs:95/50g:5/100m", &job);
	assert_int_equal(job->pattern.distribution, DIST_ZONED_ABS);
	assert_int_equal(job->pattern.zones[0].bytes, UINT64_C(53687091200));
	assert_int_equal(job->pattern.zones[1].bytes, 104857600);
	job_free(file);
	job_refused("[w]\nrandom_distribution=zipf:1\n", "t.fio:2: random_distribution: zipf: theta must not be 1");
	job_refused("[w]\nrandom_distribution=zipf:nan\n",
	    "t.fio:2: random_distribution: nan: the parameter is not above 0 and at most 100");
	job_refused("[w]\nrandom_distribution=zoned:50/50:40/50\n",
	    "t.fio:2: random_distribution: zoned:50/50:40/50: does not add up to 100 per cent");
	job_refused("[w]\nrandom_distribution=sequence:2,0,1\n",
	    "t.fio:2: random_distribution: sequence: not supported: random, zipf, pareto, normal, "
	    "zoned or zoned_abs");
	job_refused(
	    "[w]\nrandom_distribution=gauss\n", "t.fio:2: random_distribution: gauss: must be "
						"random, zipf, pareto, normal, zoned or zoned_abs");
}

static void
pacing(void **state)
{
	const struct job *job;
	struct job_file *file = job_of_lines("thinktime=250\nthinktime_spin=40\nthinktime_blocks=8\nthinktime_blocks_type=issue\n"
					  "thinktime_iotime=2\nrate_process=poisson\nstortop_delay=0.25\nstortop_burst=32\n"
					  "startdelay=3-500s\nruntime=5m\nramp_time=7\ntime_based", &job);

	(void)state;
	assert_int_equal(job->pattern.think_ns, 250000);
	assert_int_equal(job->pattern.think_spin_ns, 40000);
	assert_int_equal(job->pattern.think_blocks, 8);
	assert_true(job->pattern.think_issue);
	assert_int_equal(job->pattern.think_iotime_ns, 2000000000);
	assert_true(job->pattern.poisson);
	assert_int_equal(job->pattern.delay_ns, 250000);
	assert_int_equal(job->pattern.burst, 32);
	assert_int_equal(job->delay_min_ns, UINT64_C(3000000000));
	assert_int_equal(job->delay_max_ns, UINT64_C(500000000000));
	assert_int_equal(job->runtime_ns, UINT64_C(300000000000));
	assert_int_equal(job->ramp_ns, UINT64_C(7000000000));
	assert_true(job->time_based);
	job_free(file);
	/* Behind a stonewall fio's delay is over when as much of the run is. */
	file = job_of("[a]\nruntime=1\n[b]\nstartdelay=1\n[c]\nstonewall\nstartdelay=1\n");
	assert_int_equal(file->n_notes, 1);
	assert_string_equal(file->notes[0], "t.fio:7: startdelay: counts from the end of the "
					    "sections above; fio counts from the start of the run");
	job_free(file);
	job_refused("[w]\nstortop_delay=-1\n",
	    "t.fio:2: stortop_delay: -1: not a number of milliseconds from 0 to 86400000");
}

static void
engines_and_depth(void **state)
{
	static const struct {
		const char *name;
		enum job_engine engine;
		unsigned depth;
	} cases[] = {
		{ "io_uring", ENGINE_URING, 9 }, { "libaio", ENGINE_AIO, 9 }, { "null", ENGINE_NULL, 9 },
		{ "psync", ENGINE_PSYNC, 1 }, { "pvsync2", ENGINE_PSYNC, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *lines = xasprintf("iodepth=9\nioengine=%s\ndirect=1\nsync=1\nfsync=5\nfdatasync=6", cases[i].name);
		const struct job *job;
		struct job_file *file = job_of_lines(lines, &job);

		assert_int_equal(job->engine, cases[i].engine);
		assert_int_equal(job->iodepth, cases[i].depth);
		assert_true(job->direct && job->sync);
		assert_int_equal(job->fsync, 5);
		assert_int_equal(job->fdatasync, 6);
		assert_int_equal(file->n_notes, cases[i].depth == 1);
		job_free(file);
		free(lines);
	}
	job_refused("[w]\nioengine=rbd\n",
	    "t.fio:2: ioengine: rbd: not supported: io_uring, libaio, psync (sync, vsync, pvsync, pvsync2) or null");
	job_refused("[w]\niodepth=32769\n", "t.fio:2: iodepth: 32769: not a whole number from 1 to 32768");
	job_refused("[w]\nnumjobs=5000\n", "t.fio:2: numjobs: 5000: not a whole number from 1 to 4096");
	job_refused("[a]\nnumjobs=4000\n[b]\nnumjobs=97\n", "t.fio:3: numjobs: more than 4096 workers in all");
}

static void
ignored_and_refused(void **state)
{
	const struct job *job;
	struct job_file *file = job_of_lines("filename=/dev/sda\nthread\nlog_avg_msec=100\nverify=0\nbuffered=0", &job);

	(void)state;
	assert_true(job->direct);
	assert_string_equal(job->filename, "/dev/sda");
	assert_int_equal(file->n_notes, 3);
	assert_string_equal(file->notes[0], "t.fio:2: filename: ignored: TARGET is what is read and written");
	assert_string_equal(file->notes[1], "t.fio:3: thread: ignored: workers are always threads");
	assert_string_equal(file->notes[2], "t.fio:4: log_avg_msec: ignored: the series of every run is kept: stortop export");
	job_free(file);
	job_refused("[w]\nbs=8k\nverify=crc32c\n",
	    "t.fio:3: verify: crc32c: not supported: written data is not read back and compared");
	job_refused("[w]\nverify_backlog=1\n",
	    "t.fio:2: verify_backlog: not supported: written data is not read back and compared");
	job_refused("[w]\nfrobnicate=1\n", "t.fio:2: frobnicate: not a known option");
	/* The first that is wrong is named. */
	job_refused("[w]\nioengine=net\nhostname=x\n",
	    "t.fio:2: ioengine: net: not supported: io_uring, libaio, psync (sync, vsync, pvsync, pvsync2) or null");
}

static void
phases(void **state)
{
	struct job_file *file = job_of("[global]\nbs=8k\n"
				      "[writer]\nrw=write\nstortop_phases=const/60:burst/500ms:const/1m\niodepth=16\n"
				      "[const]\nrw=randwrite\nstortop_delay=1\nstortop_burst=4\n"
				      "[burst]\nrw=read\nbs=64k\n"
				      "[other]\nrw=read\n");
	const struct job *job = &file->jobs[0];

	(void)state;
	assert_int_equal(file->n_jobs, 2);
	assert_string_equal(job->name, "writer");
	assert_string_equal(file->jobs[1].name, "other");
	assert_int_equal(job->n_phases, 3);
	assert_string_equal(job->phases[0].name, "const");
	assert_int_equal(job->phases[0].ns, UINT64_C(60000000000));
	assert_true(job->phases[0].pattern.random);
	assert_int_equal(job->phases[0].pattern.delay_ns, 1000000);
	assert_int_equal(job->phases[0].pattern.burst, 4);
	assert_int_equal(job->phases[0].pattern.read_pct, 0);
	assert_string_equal(job->phases[1].name, "burst");
	assert_int_equal(job->phases[1].ns, 500000000);
	assert_int_equal(job->phases[1].pattern.read_pct, 100);
	assert_int_equal(job->phases[2].ns, UINT64_C(60000000000));
	assert_int_equal(job_largest_block(job), 65536);
	assert_true(job_writes(file));
	job_free(file);
	job_refused("[w]\nstortop_phases=a/60\n", "t.fio:2: stortop_phases: there is no section [a]");
	job_refused("[w]\nstortop_phases=w/60\n", "t.fio:2: stortop_phases: [w] has no pattern of its own");
	job_refused("[a]\n[w]\nstortop_phases=a\n", "t.fio:3: stortop_phases: a: not a section and its time, like reads/60");
}

static void
idle_sections_are_no_workers(void **state)
{
	const struct job *job;
	struct job_file *file = job_of_lines("rw=write\nstortop_idle\nruntime=9", &job);

	(void)state;
	assert_int_equal(job->numjobs, 0);
	assert_int_equal(job->runtime_ns, UINT64_C(9000000000));
	assert_false(job_writes(file));
	job_free(file);
}

/* Each option has a text, is reached under its names, and is not hidden behind a pattern above it. */
static void
table(void **state)
{
	(void)state;
	for (const struct job_option *o = job_option_table; o->name != NULL; o++) {
		assert_true(o->text != NULL && o->text[0] != '\0');
		if (job_option_find(o->name) != o || (o->alias != NULL && job_option_find(o->alias) != o))
			fail_msg("%s cannot be reached", o->name);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes),
		cmocka_unit_test(times),
		cmocka_unit_test(defaults_are_those_of_fio),
		cmocka_unit_test(types),
		cmocka_unit_test(values_by_direction),
		cmocka_unit_test(block_ranges_and_splits),
		cmocka_unit_test(sizes),
		cmocka_unit_test(distributions),
		cmocka_unit_test(pacing),
		cmocka_unit_test(engines_and_depth),
		cmocka_unit_test(ignored_and_refused),
		cmocka_unit_test(phases),
		cmocka_unit_test(idle_sections_are_no_workers),
		cmocka_unit_test(table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

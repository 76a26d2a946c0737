#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "load/data.h"

#define BLOCK 4096

static int
compare(const void *a, const void *b)
{
	return memcmp(a, b, 512);
}

/* How many of n sectors, anywhere in buf, are like no other. */
static size_t
different(uint8_t *buf, size_t n)
{
	size_t distinct = n > 0;

	qsort(buf, n, 512, compare);
	for (size_t i = 1; i < n; i++)
		distinct += memcmp(buf + (i - 1) * 512, buf + i * 512, 512) != 0;
	return distinct;
}

/* The same two buffers written again and again, by two workers: no sector of all is found twice. */
static void
no_sector_twice(void **state)
{
	enum { WRITES = 64, SIZE = 65536 };
	uint8_t *all = malloc((size_t)WRITES * SIZE), *at = all;
	uint8_t *buf[2] = { malloc(SIZE), malloc(SIZE) };
	struct data d[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		data_init(&d[i], 0, 0);
		data_prepare(&d[i], buf[i], SIZE);
	}
	for (int i = 0; i < WRITES; i++, at += SIZE) {
		data_fill(&d[i % 2], buf[i % 2], SIZE);
		memcpy(at, buf[i % 2], SIZE);
	}
	assert_int_equal(different(all, WRITES * SIZE / 512), WRITES * SIZE / 512);
	for (int i = 0; i < 2; i++) {
		data_free(&d[i]);
		free(buf[i]);
	}
	free(all);
}

/* Every value of a byte comes about equally often: 4096 in 1 MiB, sigma 64. */
static void
incompressible(void **state)
{
	size_t size = 1 << 20;
	uint8_t *buf = malloc(size);
	unsigned of[256] = { 0 };
	struct data d;

	(void)state;
	data_init(&d, 0, 0);
	data_prepare(&d, buf, size);
	data_fill(&d, buf, size);
	for (size_t i = 0; i < size; i++)
		of[buf[i]]++;
	for (int i = 0; i < 256; i++)
		assert_in_range(of[i], 4096 - 500, 4096 + 500);
	data_free(&d);
	free(buf);
}

static void
compressible(void **state)
{
	uint8_t buf[8 * BLOCK];
	struct data d;

	(void)state;
	data_init(&d, 0, 25);
	data_prepare(&d, buf, sizeof(buf));
	data_fill(&d, buf, sizeof(buf));
	for (size_t at = 0; at < sizeof(buf); at += 512) {
		unsigned zeros = 0;

		for (size_t i = 0; i < 512; i++)
			zeros += buf[at + i] == 0;
		/* 128 of 512, and a few of the rest by chance (384 / 256). */
		assert_in_range(zeros, 128, 128 + 20);
		assert_int_equal(buf[at + 511], 0);
	}
	data_free(&d);
}

/* Half of the blocks are copies of the one before: of 4000, 2000 differ, sigma 32. */
static void
dedupable(void **state)
{
	enum { BLOCKS = 4000 };
	uint8_t *all = malloc((size_t)BLOCKS * BLOCK);
	struct data d;

	(void)state;
	data_init(&d, 50, 0);
	for (size_t i = 0; i < BLOCKS; i += 4)
		data_fill(&d, all + i * BLOCK, 4 * BLOCK);
	/* Eight sectors a block, each with its own stamp. */
	assert_in_range(different(all, (size_t)BLOCKS * 8) / 8, 1800, 2200);
	data_free(&d);
	free(all);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_sector_twice),
		cmocka_unit_test(incompressible),
		cmocka_unit_test(compressible),
		cmocka_unit_test(dedupable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

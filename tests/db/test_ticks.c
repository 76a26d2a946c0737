/*
 * What is recorded comes back the same: db/record.c, db/ledger.c, db/rows.c, db/ticks.c, db/presence.c.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../core/fixture.h"
#include "core/kinds/kinds.h"
#include "db/sql.h"
#include "tape.h"

#define N 40

static void
test_random_tapes_come_back(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 12; seed++) {
		struct interval *put[N], *got[N];
		sqlite3 *db = tape_database(":memory:");

		tape_random(seed, 1, put, N);
		tape_record(db, put, N);
		assert_int_equal(tape_read(db, got, N), N);
		for (size_t i = 0; i < N; i++)
			tape_same(put[i], got[i]);
		tape_sound(db);
		tape_unref(put, N);
		tape_unref(got, N);
		sqlite3_close(db);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_tapes_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * A file system that fails on demand: an SQLite VFS over the real one, the default one once installed. For the tests of
 * the store; the switch may be turned from any thread.
 */
#ifndef TESTS_DB_FAULT_H
#define TESTS_DB_FAULT_H

enum fault {
	FAULT_NONE,
	FAULT_FULL,	/* every write: disk full */
	FAULT_IO,	/* every write: I/O error */
	FAULT_HANG,	/* writes wait until the switch is turned */
};

void fault_install(void);
void fault_set(enum fault);
/* Writes that wait now; files that are open. */
int fault_waiting(void);
int fault_open_files(void);

#endif

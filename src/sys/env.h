/*
 * Where and with what rights the program runs. Filled once by main, const afterwards.
 */
#ifndef SYS_ENV_H
#define SYS_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct helper;
struct board;

/*
 * Interfaces to capture packets on: from the command line, and chosen on the screen meanwhile. Grows only. Main thread.
 */
#define CAPTURES_MOST 8
#define CAPTURE_NAME_MAX 32	/* an interface's name has at most 15 bytes; "any" is one too */
struct captures {
	size_t n;
	char names[CAPTURES_MOST][CAPTURE_NAME_MAX];
};

/* Adds an interface, once. 0, -EINVAL where the name is empty or too long, -ENOSPC where there are too many. */
int captures_add(struct captures *, const char *interface);

struct env {
	const char *root;	/* "" for the machine itself, else the --root directory, without a slash at the end */
	bool foreign;		/* root is not the machine itself: files only, opened anew at every read */
	struct helper *helper;	/* runs what may hang; NULL under a foreign root and in tests */
	struct board *board;	/* where the load at hand is found (probes/load.c); NULL: no load here */
	struct captures *captures;	/* NULL: nothing is captured here (foreign root, tests) */
	/*
	 * Nanoseconds a tick may spend on costly attributes of objects not yet described. UINT64_MAX: all
	 * at once (batch, lists); a screen takes them bit by bit.
	 */
	uint64_t detail_budget_ns;
};

/*
 * Reads a whole file below the root into *buf (grown as needed, *cap its size; may start as NULL, 0)
 * and ends it with a NUL. The length, or -errno. For /proc and /sys only: those do not hang.
 */
long env_read(const struct env *, const char *path, char **buf, size_t *cap);
/* A small attribute: trailing white space cut. The length (it may be 0), or -errno; longer is cut. */
long env_attr(const struct env *, char *out, size_t size, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* readlink below the root; the length or -errno. */
long env_link(const struct env *, char *out, size_t size, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* A /proc file that is read every tick: kept open and read with pread, anew under a foreign root. */
struct kept_file {
	const char *path;	/* "/proc/diskstats" */
	int fd;			/* -1: not open */
	char *buf;
	size_t len, cap;
	/*
	 * A seq_file of a single record, or of lines far shorter than half a page: after a read of less than that
	 * there is no more.
	 */
	bool short_read_ends;
};
#define KEPT_FILE(p) { .path = (p), .fd = -1 }
#define KEPT_SEQ_FILE(p) { .path = (p), .fd = -1, .short_read_ends = true }
/* Reads it whole, from 0 until the end. 0 or -errno. */
int kept_file_read(const struct env *, struct kept_file *);
void kept_file_close(struct kept_file *);

#endif

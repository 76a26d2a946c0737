/*
 * For tests that start the real program on real devices: loop devices, a scratch directory, the program
 * as a child. All of it goes when the test does, however it ends.
 */
#ifndef TESTS_LAB_LAB_H
#define TESTS_LAB_LAB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Why devices cannot be made here ("not root" ...), or NULL. */
const char *lab_cannot(void);

/* Makes a directory of our own below /tmp; free() it after lab_remove_dir(). */
char *lab_make_dir(void);
void lab_remove_dir(char *dir);

/* Loop devices of ours have LAB_NUMBERS numbers from this on: beyond anybody's own, and beside another run's. */
#define LAB_NUMBERS 1000
int lab_first_number(void);

struct loop {
	int number;
	int fd;		/* open O_DIRECT; the device is detached when the last descriptor goes */
	char name[16];	/* "loop4711" */
};

/* 0 or -errno. A free number from `from` on; the node is made in `dir`, not under /dev. */
int lab_loop_add(struct loop *, int backing, int from, const char *dir);
/* The same, of a device that can be written; we have it open for reading only. */
int lab_loop_add_writable(struct loop *, int backing, int from, const char *dir);
void lab_loop_remove(struct loop *);
/* A file of that many bytes in memory, for loop devices to stand on. */
int lab_memory_file(off_t size);
/* Reads 4 KiB blocks from the device, past every cache; how many came. */
unsigned lab_read_blocks(const struct loop *, unsigned blocks);
/* The reads that the kernel has counted for a device, or UINT64_MAX where there is none of that name. */
uint64_t lab_reads(const char *name);

struct program {
	pid_t pid;
	char *output;	/* the file that stdout goes to */
	int fd;		/* it, for reading */
	char *buf;	/* what was read and not yet handed out */
	size_t len, cap;
	char *line;
};

/*
 * Starts the program named by $STORTOP (build/stortop without) with these arguments, NULL at the end. HOME and the
 * file for its output are in dir. Fails the test if it cannot.
 */
void program_start(struct program *, const char *dir, const char *const *args);
/* The same with what it says on stderr among its output. */
void program_start_heard(struct program *, const char *dir, const char *const *args);
/* Starts it and waits for its end: the exit status. What it said on stdout and stderr is in out, cut at size. */
int program_run(const char *dir, const char *const *args, char *out, size_t size);
/* The same with another HOME. */
void program_start_home(struct program *, const char *dir, const char *home, const char *const *args);
/* The same on a terminal of its own (xterm-256color, UTF-8); its screen is read with program_shows(). */
void program_start_tty(struct program *, const char *home, unsigned short rows, unsigned short columns,
    const char *const *args);
/* Has the text been on the screen, in one piece, since the last call that found its own? Waits that long for it. */
bool program_shows(struct program *, const char *text, int timeout_ms);
void program_type(struct program *, const char *keys);
/* Lines until one has the text in it; false after that long without. */
bool program_says(struct program *, const char *text, int timeout_ms);
/* The next whole line, valid until the next call; NULL after that long without one. */
const char *program_line(struct program *, int timeout_ms);
/* Sends the signal and waits: the wait status, or -1 if it had to be killed after that long. */
int program_end(struct program *, int signal, int timeout_ms);
/* A number of kB from /proc/PID/status ("VmRSS"), 0 where there is none. */
long program_status_kb(const struct program *, const char *field);
void program_free(struct program *);

uint64_t lab_now_ms(void);	/* CLOCK_MONOTONIC */

#endif

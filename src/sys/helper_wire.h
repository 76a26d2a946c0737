/*
 * Between helper.c and its forking process: one packet a message. The forking process and the
 * children write to the same socket; a child's answer comes before the word that it is gone.
 */
#ifndef SYS_HELPER_WIRE_H
#define SYS_HELPER_WIRE_H

#include <limits.h>
#include <stdint.h>

#define HELPER_MAX_OPEN 32		/* questions at a time, those that hang among them */
#define HELPER_MAX_BYTES (32 << 10)	/* of a file that is read */

struct helper_question {
	uint32_t id;
	uint32_t op;		/* enum helper_op */
	char path[PATH_MAX];	/* sent as far as its NUL */
};

enum helper_word {
	HELPER_ANSWER,	/* of a child: len and data */
	HELPER_GONE,	/* of the forking process: this child has ended; without data */
};

struct helper_answer {
	uint32_t id;
	uint32_t word;
	int64_t len;	/* of data, or -errno */
	char data[HELPER_MAX_BYTES + 1];	/* the last byte is the receiver's, for a NUL */
};

/* The forking process: answers questions from the socket until its other end is closed. */
_Noreturn void helper_zygote(int socket, int parent_pid);

#endif

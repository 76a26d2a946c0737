/*
 * Work that may never end, because storage is dead: in a thread of its own. Whoever waits may leave it behind; then the thread, if
 * it ever comes back, puts away what it worked on. Functions: the thread that started it, but where it says otherwise.
 */
#ifndef SESSION_ASIDE_H
#define SESSION_ASIDE_H

#include <stdbool.h>
#include <stdint.h>

struct aside;

/* work(aside, arg) in a thread; drop(arg) after it where it was left. arg is the thread's until then. NULL: no thread. */
struct aside *aside_start(void (*work)(struct aside *, void *), void (*drop)(void *), void *arg);
/* Readable when the work is done, and after aside_tell(). */
int aside_fd(const struct aside *);
/* The work's own thread: somebody is to look. */
void aside_tell(struct aside *);
/* Has it ended? What was told is heard by that. */
bool aside_done(struct aside *);
/* Waits so long at most. True: it has ended. */
bool aside_wait(struct aside *, uint64_t ns);
/* Frees it. True: it had ended, and arg is the caller's; false: it is left to the thread. */
bool aside_end(struct aside *);

#endif

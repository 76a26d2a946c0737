/*
 * Gives the terminal back where nothing but a few system calls is allowed: in the handler of a fatal
 * signal, and when memory has run out. Process-wide, because a signal handler is.
 */
#ifndef VIEWS_RESTORE_H
#define VIEWS_RESTORE_H

#include <stdbool.h>

/* Notes the terminal's modes, before curses changes them. */
void restore_prepare(int fd);
/* Notes the sequences, once curses knows the terminal's type. */
void restore_sequences(bool mouse);
/* From now on fatal signals and out of memory restore; disarm when the terminal has been given back. */
void restore_arm(void);
void restore_disarm(void);

#endif

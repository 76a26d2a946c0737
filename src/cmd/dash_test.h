/*
 * The dashboard's tests: does what the test screen asks for, and finds out about storage in threads, since it may
 * be dead and the screen must not be. Main thread.
 */
#ifndef CMD_DASH_TEST_H
#define CMD_DASH_TEST_H

#include "cmd/dash.h"

struct dash_test;

struct dash_test *dash_test_open(struct dash *);
/* What threads still wait for is left to them. */
void dash_test_close(struct dash_test *);
/* For poll(): readable when a thread has something to tell; -1: there is none. */
int dash_test_fd(const struct dash_test *);
/* Does the requests, takes over what threads found, shows the state of the test. True: draw again. */
bool dash_test_step(struct dash_test *);
/* Ends a test that runs: drains it, stores its result and removes its file. At most some seconds. */
void dash_test_drain(struct dash_test *);

#endif

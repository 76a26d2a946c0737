#include "tests/bench/loops.h"

#define worker_loop worker_loop_timed
#include "src/load/worker_loop.c"

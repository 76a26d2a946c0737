/*
 * Systems recorded elsewhere, which are not part of the project: archives below $STORTOP_DATA.
 */
#ifndef TESTS_PROBES_RECORDED_H
#define TESTS_PROBES_RECORDED_H

#include <stdbool.h>

/*
 * Unpacks an archive ("sysroot/NAME.tgz") into a directory. False, with the reason printed, where it is not
 * there: the test is to be skipped.
 */
bool recorded_unpack(const char *archive, const char *dir);

#endif

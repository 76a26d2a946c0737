/*
 * Devices built on devices: what the device below a layer or a multipath head did, so that the time above
 * and below the driver can be told apart without a probe.
 */
#ifndef CORE_STACK_H
#define CORE_STACK_H

#include "core/interval.h"

/*
 * Fills the derived metrics DISK_DEV_IOS and DISK_DEV_MS of heads (from their paths) and layers (from the
 * devices named in LABEL_SLAVES, all of which must be measured). Only reads and writes: flushes and discards
 * are often not passed one to one.
 */
void stack_derive(struct interval *);

#endif

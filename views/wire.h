/*
 * The flows on the wire, in the lower part of the screens of NFS and iSCSI. Main thread.
 */
#ifndef VIEWS_WIRE_H
#define VIEWS_WIRE_H

#include <stdbool.h>

#include "views/surface.h"

struct screen;

/* Is anything captured, so that there is a lower part? */
bool wire_watched(const struct screen *);
/* The line above the flows: interfaces, packets, what was dropped, how much of it could be read. */
void wire_head(const struct screen *, struct surface *, int y);

#endif

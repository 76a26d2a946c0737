/*
 * Instance names of a batch CSV that differ from each other within their object, whatever the case:
 * Windows counters know none.
 */
#ifndef OUT_PDH_NAMES_H
#define OUT_PDH_NAMES_H

#include "out/pdh_plan.h"
#include "out/choice.h"

void pdh_names_settle(struct pdh_plan *, const struct choice *);

#endif

/*
 * The labels of an object as JSON text, by the keys of label_table. A label that has both a text and a
 * number of its own ("16 Gbit", 16e9) has a second member, "speed_number". Pure; any thread.
 */
#ifndef DB_LABELS_H
#define DB_LABELS_H

#include <stddef.h>

#include "core/object.h"

/* malloc'd; "{}" where there are none. Bytes that are no UTF-8 become U+FFFD. */
char *labels_encode(const struct object *);
/*
 * Sets the object's labels and role from such text, before it is shared. Unknown keys are left out; text
 * that is no JSON object changes nothing. Hostile input is safe.
 */
void labels_decode(struct object *, const char *json, size_t len);

#endif

/* Figures of NFS operations that follow from the operation's name. Within core. */
#ifndef CORE_NFS_H
#define CORE_NFS_H

#include "core/interval.h"

/*
 * Fills the derived metrics of kind_nfs_op: which of the operations were READ, WRITE or COMMIT, their time and data. They are
 * never stored, so replayed intervals get them here too.
 */
void nfs_derive(struct interval *);

#endif

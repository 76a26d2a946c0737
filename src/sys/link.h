/*
 * The kernel's word that a network interface went up or down, or changed its speed or name
 * (RTNETLINK, rtnetlink(7)): there is no uevent for these. Needs no privilege.
 */
#ifndef SYS_LINK_H
#define SYS_LINK_H

#include <stddef.h>

/* NULL: messages were lost, any interface may have changed. */
typedef void link_seen(void *arg, const char *name);

/* One packet of the socket: the names of the interfaces it speaks of. Pure; any thread. */
void link_parse(const char *buf, size_t len, link_seen *, void *arg);

/* A non-blocking socket, or -errno. */
int link_open(void);
/* Hands on what has come. 0 or -errno. */
int link_read(int fd, link_seen *, void *arg);

#endif

/*
 * iSCSI sessions of this host as an initiator (drivers/scsi/scsi_transport_iscsi.c), and what LIO says of one as a target
 * (drivers/target/iscsi/iscsi_target_configfs.c). Reads cached attributes below the root. Never CHAP names or secrets. Any thread.
 */
#ifndef SYS_ISCSI_H
#define SYS_ISCSI_H

#include <stdbool.h>
#include <stddef.h>

#include "sys/env.h"

#define ISCSI_NAME_MAX 232	/* RFC 7143 section 4.2.7.1: 223 bytes */

/* "" where not told. */
struct iscsi_session_facts {
	char target[ISCSI_NAME_MAX], initiator[ISCSI_NAME_MAX];
	char state[32];			/* "LOGGED_IN", "FAILED", "FREE" */
	char connection[32];		/* state of the connection: "up", "failed", "cold stop" */
	char address[64];		/* of the portal, without brackets */
	unsigned port, local_port;	/* 0: not told */
	char portal[80];		/* "10.9.0.1:3260", "[fd00::1]:3260" */
	char digests[16];		/* "none", "header", "data", "header data" */
	char host[16];			/* "host6" */
	char driver[32];		/* "iscsi_tcp" */
};

/* A session by its kernel name, "session1"; false where sysfs knows none of that name. */
bool iscsi_session_read(const struct env *, const char *name, struct iscsi_session_facts *);

/* The file "info" of an initiator that a LIO target knows; "" where not told. */
struct iscsi_acl_facts {
	char state[32];		/* "LOGGED_IN"; "": no session */
	char address[64];	/* of the initiator */
};
/* Pure. */
void iscsi_acl_parse(const char *buf, size_t len, struct iscsi_acl_facts *);

#endif

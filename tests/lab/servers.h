/*
 * Real servers for tests: nfs-ganesha with rpcbind, tgtd. They live in process, mount and network namespaces of the test's
 * own, on an address that nobody else has, and below a /run in memory: nothing outlives the test, however it ends, and any
 * number of them can run side by side.
 */
#ifndef TESTS_LAB_SERVERS_H
#define TESTS_LAB_SERVERS_H

#include <stdbool.h>
#include <sys/types.h>

/* Everything of the lab lies here: in memory, of this test alone. */
#define SERVERS_DIR "/run/lab"
#define SERVERS_ADDRESS "10.9.0.1"

/*
 * Called first in main(). Where the lab can run it returns NULL, in a process inside the namespaces (the outer one waits and
 * takes its exit status); else why it cannot: not root, a package is missing ...
 */
const char *servers_enter(bool nfs, bool iscsi);

/* ganesha exports SERVERS_DIR/export as /export, NFSv3 and NFSv4.0 to 4.2. Both fail the test where it does not answer. */
struct nfs_server {
	pid_t rpcbind, ganesha;
};
void nfs_server_start(struct nfs_server *);
/* Ends ganesha; rpcbind stays, for another start. */
void nfs_server_kill(struct nfs_server *);
void nfs_server_stop(struct nfs_server *);

/* tgtd with one target and no LUN (LUN 0 is the controller). It ignores SIGTERM. */
#define ISCSI_TARGET "iqn.2026-01.lab:disk"
#define ISCSI_URL "iscsi://" SERVERS_ADDRESS "/" ISCSI_TARGET
struct iscsi_server {
	pid_t tgtd;
};
void iscsi_server_start(struct iscsi_server *);
/* type: "rdwr" (path: a file or device), or "null" (path: /dev/null; a TiB that holds nothing). */
void iscsi_server_add(int lun, const char *path, const char *type);
/* From here on a login needs them. */
void iscsi_server_account(const char *user, const char *password);
/* Runs tgtadm with these arguments after --lld iscsi; NULL at the end. The exit status. */
int iscsi_server_tell(const char *const *args);
void iscsi_server_kill(struct iscsi_server *);

#endif

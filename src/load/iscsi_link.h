/*
 * A session with an iSCSI target through libiscsi, one LUN of which is asked one thing at a time and waited for: no longer than a
 * limit, after which the link is of no use any more. One thread at a time. Only where HAVE_LIBISCSI.
 */
#ifndef LOAD_ISCSI_LINK_H
#define LOAD_ISCSI_LINK_H

#include <stddef.h>
#include <stdint.h>

#include "load/scsi_parse.h"

struct iscsi_context;
struct iscsi_link;
struct remote_wire;
struct scsi_task;

/*
 * Logs in, with user and password from the URL or the environment of libiscsi. 0 or -errno with the reason in why, which
 * never names them: -EINVAL where the URL is wrong, -ETIMEDOUT where nobody answers.
 */
int iscsi_link_open(struct iscsi_link **, const char *url, uint64_t limit_ns, char *why, size_t size);
void iscsi_link_close(struct iscsi_link *);	/* logs out, where there is somebody; NULL is fine */
/* For who drives the library himself. */
struct iscsi_context *iscsi_link_context(struct iscsi_link *);
struct remote_wire *iscsi_link_wire(struct iscsi_link *);
int iscsi_link_lun(const struct iscsi_link *);
/* Why the last call failed with rc (-errno): what the target, or the library, said of it, else the error's own text. */
const char *iscsi_link_words(const struct iscsi_link *, int rc);

/*
 * A command that brings data: bytes that came, or -errno. A unit attention is no answer: asked again. Longer answers are cut.
 */
int iscsi_link_ask(struct iscsi_link *, const uint8_t *cdb, size_t cdb_bytes, void *data, size_t len);
/* What every connection wants to know. 0 or -errno. */
int iscsi_link_capacity(struct iscsi_link *, struct scsi_capacity *);
void iscsi_link_serial(struct iscsi_link *, char *out, size_t size);
/* Whole blocks. 0 or -errno. */
int iscsi_link_read(struct iscsi_link *, uint64_t lba, uint32_t block_bytes, void *buf, size_t len);

/* Of a command that failed: -errno, and what the device said of it in words. task: NULL where nothing came back. */
int iscsi_link_error(int status, const struct scsi_task *, char *words, size_t size);

#endif

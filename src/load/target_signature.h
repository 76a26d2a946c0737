/*
 * What is on a device, as its bytes tell. Reads the device: may take as long as it does. Any thread.
 */
#ifndef LOAD_TARGET_SIGNATURE_H
#define LOAD_TARGET_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct signature {
	bool known;		/* file system, RAID, LVM, LUKS, swap, partition table ...: all that libblkid knows */
	bool data;		/* anything but zeros was seen in samples spread over it */
	bool unreadable;	/* it, or a part of it, could not be read */
	char text[200];		/* "ext4 \"data\"", "data of no known kind", "nothing (zeros)"; printable */
};

/* fd: readable, without O_DIRECT; its offset is used. */
void signature_read(int fd, uint64_t size_bytes, struct signature *out);
/*
 * The same of what is no file here: the parts that are looked at are read by `read` (0 or -errno), into memory. A descriptor for
 * the functions of this header, or -errno; without the `samples` between both ends for signature_has_superblock() alone.
 */
int signature_copy(int (*read)(void *arg, uint64_t at, void *buf, size_t len), void *arg, uint64_t size_bytes, bool samples);
/* File systems and the like alone: test data may look like a partition table by chance. */
bool signature_has_superblock(int fd, char *type, size_t size);

#endif

#include "load/target_signature.h"

#include <blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include "core/xalloc.h"
#include "sys/text.h"

#define SAMPLES 64
#define END_BYTES (UINT64_C(1) << 20)
#define SAMPLE_BYTES 4096
#define HEAD_COPIED (UINT64_C(4) << 20)
#define HEAD_SAMPLES 256	/* the first MiB whole */

/* Labels are anybody's text, and this goes to a terminal. */
static void
append(char *out, size_t size, const char *text)
{
	size_t len = strlen(out);

	for (; *text != '\0' && len + 1 < size; text++)
		out[len++] = (unsigned char)*text < ' ' || *text == 127 ? '?' : *text;
	out[len] = '\0';
}

static const char *
value_of(blkid_probe probe, const char *name)
{
	const char *value = NULL;

	return blkid_probe_lookup_value(probe, name, &value, NULL) == 0 ? value : NULL;
}

/* The one that the probe stands on: "ext4 "data"", "dos partition table". */
static void
describe_one(blkid_probe probe, struct signature *out)
{
	const char *type = value_of(probe, "TYPE"), *table = value_of(probe, "PTTYPE"), *label = value_of(probe, "LABEL");

	if (type == NULL && table == NULL)
		return;
	if (out->text[0] != '\0')
		append(out->text, sizeof(out->text), ", ");
	append(out->text, sizeof(out->text), type != NULL ? type : table);
	if (type == NULL)
		append(out->text, sizeof(out->text), " partition table");
	if (label != NULL) {
		append(out->text, sizeof(out->text), " \"");
		append(out->text, sizeof(out->text), label);
		append(out->text, sizeof(out->text), "\"");
	}
	out->known = true;
}

/*
 * One after the other until there are no more: a device may carry several. Wrong checksums count too:
 * a damaged file system is one that somebody may want to mend. -errno where the device cannot be read.
 */
static int
probe_known(int fd, bool tables, struct signature *out)
{
	blkid_probe probe = blkid_new_probe();
	int rc = -ENOMEM;

	if (probe == NULL)
		return rc;
	if (blkid_probe_set_device(probe, fd, 0, 0) == 0) {
		blkid_probe_enable_superblocks(probe, 1);
		blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL | BLKID_SUBLKS_BADCSUM);
		if (tables) {
			blkid_probe_enable_partitions(probe, 1);
			blkid_probe_set_partitions_flags(probe, BLKID_PARTS_MAGIC);
		}
		errno = 0;
		while ((rc = blkid_do_probe(probe)) == 0)
			describe_one(probe, out);
		rc = rc == 1 ? 0 : errno != 0 ? -errno : -EIO;
	} else {
		rc = errno != 0 ? -errno : -EIO;
	}
	blkid_free_probe(probe);
	return rc;
}

static bool
is_zero(const char *buf, size_t len)
{
	return len == 0 || (buf[0] == 0 && memcmp(buf, buf + 1, len - 1) == 0);
}

static void
sample(int fd, uint64_t at, struct signature *out)
{
	char buf[SAMPLE_BYTES];
	ssize_t n = pread(fd, buf, sizeof(buf), (off_t)at);

	if (n < 0)
		out->unreadable = true;
	else if (!is_zero(buf, (size_t)n))
		out->data = true;
}

/* Places evenly spread; of 1 to SAMPLES. */
static uint64_t
place_of_sample(uint64_t size, unsigned i)
{
	uint64_t blocks = size / SAMPLE_BYTES;

	return blocks > 0 ? (blocks - 1) / SAMPLES * i * SAMPLE_BYTES : 0;
}

/* The head whole, then some places evenly spread, the very end among them. */
static void
sample_all(int fd, uint64_t size, struct signature *out)
{
	uint64_t blocks = size / SAMPLE_BYTES;

	for (uint64_t i = 0; i < blocks && i < HEAD_SAMPLES && !out->data && !out->unreadable; i++)
		sample(fd, i * SAMPLE_BYTES, out);
	for (unsigned i = 1; i <= SAMPLES && blocks > 0 && !out->data && !out->unreadable; i++)
		sample(fd, place_of_sample(size, i), out);
	if (blocks > 0 && !out->data && !out->unreadable)
		sample(fd, (blocks - 1) * SAMPLE_BYTES, out);
}

/*
 * Signatures are looked for at dozens of places near both ends: brought into memory by two large reads, they put few I/Os on a
 * device that is about to be measured.
 */
static void
bring_in(int fd, uint64_t size_bytes)
{
	uint64_t bytes = size_bytes < END_BYTES ? size_bytes : END_BYTES;

	readahead(fd, 0, bytes);
	readahead(fd, (off64_t)(size_bytes - bytes), bytes);
}

void
signature_read(int fd, uint64_t size_bytes, struct signature *out)
{
	int error;

	*out = (struct signature){ .known = false };
	bring_in(fd, size_bytes);
	error = probe_known(fd, true, out);
	sample_all(fd, size_bytes, out);
	out->unreadable = out->unreadable || error < 0;
	if (out->known)
		return;
	if (out->unreadable)
		text_copy(out->text, sizeof(out->text), "contents that cannot be read");
	else if (out->data)
		text_copy(out->text, sizeof(out->text), "data of no known kind");
}

static int
copy_part(int fd, int (*read)(void *arg, uint64_t at, void *buf, size_t len), void *arg, uint64_t from, uint64_t to)
{
	static const size_t piece = 65536;
	char *buf = xmalloc(piece);
	int rc = 0;

	for (uint64_t at = from; at < to && rc == 0; at += piece) {
		size_t len = to - at < piece ? (size_t)(to - at) : piece;

		rc = read(arg, at, buf, len);
		if (rc == 0 && !is_zero(buf, len) && pwrite(fd, buf, len, (off_t)at) != (ssize_t)len)
			rc = -errno;
	}
	free(buf);
	return rc;
}

/* What libblkid knows begins or ends there: VMFS 2 MiB from the beginning is the farthest. */
int
signature_copy(int (*read)(void *arg, uint64_t at, void *buf, size_t len), void *arg, uint64_t size_bytes, bool samples)
{
	uint64_t head = size_bytes < HEAD_COPIED ? size_bytes : HEAD_COPIED;
	uint64_t tail = size_bytes - head < END_BYTES ? size_bytes - head : END_BYTES;
	int rc = 0, fd = memfd_create("copy", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)size_bytes) < 0)
		rc = -errno;
	if (rc == 0)
		rc = copy_part(fd, read, arg, 0, head);
	if (rc == 0)
		rc = copy_part(fd, read, arg, (size_bytes - tail) / SAMPLE_BYTES * SAMPLE_BYTES, size_bytes);
	for (unsigned i = 1; samples && i <= SAMPLES && rc == 0; i++) {
		uint64_t at = place_of_sample(size_bytes, i);

		if (at >= head && at < size_bytes - tail)
			rc = copy_part(fd, read, arg, at, at + SAMPLE_BYTES);
	}
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

bool
signature_has_superblock(int fd, char *type, size_t size)
{
	struct signature found = { .known = false };

	probe_known(fd, false, &found);
	text_copy(type, size, found.text);
	return found.known;
}

/*
 * Targets: what is read or written, proved safe before the first write (reference: how load generators destroyed data). The
 * write grant is the only key to a write: an engine opened without it cannot build one, and only the checks make it.
 *
 * Opened and closed by one thread, any but one that must not wait: dead storage answers neither. Read-only in between: workers
 * use the descriptor.
 */
#ifndef LOAD_TARGET_H
#define LOAD_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/remote.h"

struct remote_servers;
struct write_grant;	/* opaque: made by target_open() alone */

enum target_kind { TARGET_NULL, TARGET_DEVICE, TARGET_FILE };

/* What a person must know before saying yes; also what target_describe() fills for the screen. */
struct target_facts {
	enum target_kind kind;	/* a LUN is a device */
	enum remote_kind remote;
	char path[512];		/* as opened: resolved; the URL, of the test file too, without what is secret in it */
	char device[64];	/* kernel name of the device, or of the one below the file ("" where there is none); may be a partition */
	char model[80], serial[80], wwn[80], mapper[80];
	uint64_t size_bytes;	/* of the device; of the test file */
	uint64_t free_bytes;	/* of the file system */
	char holds[256];	/* "ext4 \"data\", mounted on /srv", "DOS partition table", "" for nothing */
	char fs[32];		/* file system of a file */
	unsigned logical_block, physical_block;	/* BLKSSZGET, BLKPBSZGET; a file: alignment O_DIRECT needs (statx) */
	unsigned mem_align;
	bool in_use;		/* mounted, held, swap or open elsewhere */
};

struct target_request {
	const char *name;	/* TARGET of the command line: null:, directory, new file, own file, device, URL */
	bool writes;		/* the job writes */
	bool buffered;		/* the job asks for the page cache */
	uint64_t size_bytes;	/* wanted working set of a file; 0: the smaller of 64 GiB and 25 % of the free space */
	uint32_t block;		/* smallest block of the job: must fit the sector */
	const char *destroy;	/* --destroy: serial or exact size in bytes; NULL: not given */
	bool in_use;		/* --in-use: reading a device in use is fine */
	bool keep;		/* --keep: the test file stays */
	/*
	 * Asks a person on the terminal; NULL: there is none. `wants` is what must be typed (the serial, or the size), NULL:
	 * a plain yes. Returns true for yes.
	 */
	bool (*confirm)(void *arg, const struct target_facts *, const char *wants);
	void *confirm_arg;
};

struct target {
	struct target_facts facts;
	int fd;			/* O_DIRECT unless buffered; devices to be written O_EXCL, held for the whole run; -1: null */
	const struct remote *remote;	/* on a server: what workers connect to; NULL: fd */
	struct remote_servers *servers;	/* on this machine, of what is on a server here; NULL: there is none, or fd */
	const struct write_grant *grant;	/* NULL: reads only */
	uint64_t area_bytes;	/* what jobs may use */
	/*
	 * Are there data to read? A device: anything but zeros was seen on it. A file: it was laid out to its end; false for a new
	 * one, and for one that has to grow. Who lays it out sets it: with --keep the file remembers.
	 */
	bool written;
	bool keep;		/* the test file stays */
	bool silent;		/* its server does not answer: whoever found out says so, and nobody waits for it again */
};

/*
 * 0; 3: refused for safety; 2: the request is impossible (block size below the sector: with an offer); 1: failed. `why` says
 * what and why in one line. Nothing is written by it; a test file is created (and marked as ours) but not laid out.
 */
int target_open(const struct target_request *, struct target **, char *why, size_t size);
/* Facts only, for the test screen and the confirmation: opens nothing for writing. 0 or -errno. May hang on dead storage: helper. */
int target_describe(const char *name, struct target_facts *);
/* Releases the device; removes the test file unless kept. 0 or -errno. */
int target_close(struct target *);
/*
 * Removes test files that a killed run left in this directory (ours by their mark, their run's process gone). Returns how
 * many. Called by target_open() for its directory.
 */
int target_sweep(const char *directory);

/* True where the grant is for this descriptor: engines ask once, when they are opened for writing. */
bool grant_covers(const struct write_grant *, int fd);
/* The same of what is on a server; that it is still the same there, each connection finds out for itself. */
bool grant_covers_remote(const struct write_grant *, const struct remote *);

#endif

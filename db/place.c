#include "db/place.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "core/xalloc.h"
#include "db/sql.h"
#include "db/store.h"

#define SERVICE_DIR "/var/lib/stortop"
#define FILE_NAME "stortop.db"

static char *
own_path(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	/* The specification wants a relative one ignored. */
	if (state != NULL && state[0] == '/')
		return xasprintf("%s/stortop/" FILE_NAME, state);
	if (home != NULL && home[0] == '/')
		return xasprintf("%s/.local/state/stortop/" FILE_NAME, home);
	return NULL;
}

char *
store_default_write_path(void)
{
	return own_path();
}

char *
store_default_read_path(void)
{
	char *own = own_path();

	if (own != NULL && access(own, F_OK) == 0)
		return own;
	free(own);
	return access(SERVICE_DIR "/" FILE_NAME, F_OK) == 0 ? xstrdup(SERVICE_DIR "/" FILE_NAME) : NULL;
}

const char *
place_network(unsigned long f_type)
{
	/* Numbers that linux/magic.h lacks are in the file systems' own headers. FUSE may be anything, sshfs too. */
	static const struct {
		unsigned long type;
		const char *name;
	} table[] = {
		{ NFS_SUPER_MAGIC, "NFS" }, { 0xff534d42, "SMB" }, { 0xfe534d42, "SMB" }, { SMB_SUPER_MAGIC, "SMB" },
		{ V9FS_MAGIC, "9p" }, { 0x65735546, "FUSE" }, { AFS_SUPER_MAGIC, "AFS" }, { 0x6b414653, "AFS" },
		{ CODA_SUPER_MAGIC, "Coda" }, { NCP_SUPER_MAGIC, "NCP" }, { 0x00c36400, "Ceph" },
		{ 0x01161970, "GFS2" }, { 0x7461636f, "OCFS2" }, { 0x0bd00bd0, "Lustre" }, { 0x47504653, "GPFS" },
		{ 0x19830326, "BeeGFS" }, { 0x786f4256, "vboxsf" }, { 0xbacbacbc, "vmhgfs" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].type == (f_type & 0xffffffff))
			return table[i].name;
	return NULL;
}

static bool
is_service(const char *path)
{
	return strncmp(path, SERVICE_DIR "/", strlen(SERVICE_DIR) + 1) == 0;
}

int
place_make_parents(const char *path, char *why, size_t size)
{
	char *dir = xstrdup(path);	/* "": the lock will say that there is no such file */
	mode_t mode = is_service(path) ? 0750 : 0700;
	int error = 0;

	for (char *at = dir[0] != '\0' ? strchr(dir + 1, '/') : NULL; at != NULL && error == 0; at = strchr(at + 1, '/')) {
		*at = '\0';
		/* A directory that is there may answer otherwise than EEXIST: on a read-only file system, say. */
		if (mkdir(dir, mode) == 0) {
			(void)!chmod(dir, mode);	/* whatever the umask took away */
		} else if (errno != EEXIST) {
			error = -errno;
			if (access(dir, F_OK) == 0)
				error = 0;
		}
		if (error != 0)
			snprintf(why, size, "cannot make the directory %s: %s", dir, sql_system_words(-error));
		*at = '/';
	}
	free(dir);
	return error;
}

/* The directory that a file lies in, malloc'd. */
static char *
parent_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		return xstrdup(".");
	return slash == path ? xstrdup("/") : xstrndup(path, (size_t)(slash - path));
}

const char *
place_on_network(const char *path)
{
	struct statfs s;
	char *dir;
	int rc;

	/* The file itself may be a link to elsewhere. */
	if (statfs(path, &s) == 0)
		return place_network((unsigned long)s.f_type);
	dir = parent_of(path);
	rc = statfs(dir, &s);
	free(dir);
	return rc == 0 ? place_network((unsigned long)s.f_type) : NULL;
}

/* Anybody may have made something of that name in a directory that all may write to. */
static int
check_own_dir(const char *dir)
{
	struct stat st;

	if (lstat(dir, &st) != 0)
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	if (st.st_uid != geteuid() || (st.st_mode & 077) != 0)
		return -EPERM;
	return 0;
}

int
place_fallback(const char *base, const char *path, char **out, char *why, size_t size)
{
	const char *slash = strrchr(path, '/');
	char *dir = xasprintf("%s/stortop-%u", base, (unsigned)geteuid());
	int error = 0;

	*out = NULL;
	if (mkdir(dir, 0700) != 0 && errno != EEXIST)
		error = -errno;
	if (error == 0)
		error = check_own_dir(dir);
	if (error == 0)
		*out = xasprintf("%s/%s", dir, slash != NULL ? slash + 1 : path);
	else
		snprintf(why, size, "cannot use the directory %s: %s", dir,
		    error == -EPERM ? "it is not ours alone" : sql_system_words(-error));
	free(dir);
	return error;
}

int
place_make_file(const char *path)
{
	mode_t mode = is_service(path) ? 0640 : 0600;
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);

	if (fd < 0)
		return errno == EEXIST ? 0 : -errno;
	if (fchmod(fd, mode) != 0) {
		/* Not all file systems have rights; SQLite copies to its own files what there is. */
	}
	close(fd);
	return 0;
}

static bool
same_file(int fd, const char *path)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int
lock_once(const char *name)
{
	/* Open file description locks end with the descriptor, not with any other one on the file. */
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600), error;

	if (fd < 0)
		return -errno;
	if (fcntl(fd, F_OFD_SETLK, &whole) == 0)
		return fd;
	error = errno == EAGAIN || errno == EACCES ? -EBUSY : -errno;
	close(fd);
	return error;
}

int
place_lock(const char *path, char **name, char *why, size_t size)
{
	char *real = realpath(path, NULL);
	int fd = -EBUSY;

	*name = xasprintf("%s-lock", real != NULL ? real : path);
	free(real);
	/* The one that had it may have removed it between our open and our lock. */
	for (int tries = 0; tries < 100; tries++) {
		fd = lock_once(*name);
		if (fd < 0 || same_file(fd, *name))
			break;
		close(fd);
		fd = -EBUSY;
	}
	if (fd >= 0)
		return fd;
	free(*name);
	*name = NULL;
	snprintf(why, size, "%s", fd == -EBUSY ? "another stortop is recording to it" : sql_system_words(-fd));
	return fd;
}

void
place_unlock(int lock, char *name)
{
	if (lock < 0)
		return;
	unlink(name);
	close(lock);
	free(name);
}

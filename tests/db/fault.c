#include "fault.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

struct file {
	sqlite3_file base;
	sqlite3_file *real;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static enum fault fault;
static int waiting, open_files;
static sqlite3_vfs *real_vfs;

void
fault_set(enum fault f)
{
	pthread_mutex_lock(&lock);
	fault = f;
	pthread_cond_broadcast(&turned);
	pthread_mutex_unlock(&lock);
}

static int
read_locked(const int *number)
{
	int value;

	pthread_mutex_lock(&lock);
	value = *number;
	pthread_mutex_unlock(&lock);
	return value;
}

int
fault_waiting(void)
{
	return read_locked(&waiting);
}

int
fault_open_files(void)
{
	return read_locked(&open_files);
}

static int
now(void)
{
	enum fault f;

	pthread_mutex_lock(&lock);
	waiting++;
	while (fault == FAULT_HANG)
		pthread_cond_wait(&turned, &lock);
	waiting--;
	f = fault;
	pthread_mutex_unlock(&lock);
	return f == FAULT_FULL ? SQLITE_FULL : f == FAULT_IO ? SQLITE_IOERR_WRITE : SQLITE_OK;
}

static sqlite3_file *
real(sqlite3_file *f)
{
	return ((struct file *)f)->real;
}

static int
x_close(sqlite3_file *f)
{
	int rc = real(f)->pMethods->xClose(real(f));

	pthread_mutex_lock(&lock);
	open_files--;
	pthread_mutex_unlock(&lock);
	return rc;
}

static int
x_read(sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
	return real(f)->pMethods->xRead(real(f), to, n, at);
}

static int
x_write(sqlite3_file *f, const void *from, int n, sqlite3_int64 at)
{
	int rc = now();

	return rc != SQLITE_OK ? rc : real(f)->pMethods->xWrite(real(f), from, n, at);
}

static int
x_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	return real(f)->pMethods->xTruncate(real(f), size);
}

static int
x_sync(sqlite3_file *f, int flags)
{
	return real(f)->pMethods->xSync(real(f), flags);
}

static int
x_size(sqlite3_file *f, sqlite3_int64 *size)
{
	return real(f)->pMethods->xFileSize(real(f), size);
}

static int
x_lock(sqlite3_file *f, int level)
{
	return real(f)->pMethods->xLock(real(f), level);
}

static int
x_unlock(sqlite3_file *f, int level)
{
	return real(f)->pMethods->xUnlock(real(f), level);
}

static int
x_reserved(sqlite3_file *f, int *out)
{
	return real(f)->pMethods->xCheckReservedLock(real(f), out);
}

static int
x_control(sqlite3_file *f, int op, void *arg)
{
	return real(f)->pMethods->xFileControl(real(f), op, arg);
}

static int
x_sector(sqlite3_file *f)
{
	return real(f)->pMethods->xSectorSize(real(f));
}

static int
x_device(sqlite3_file *f)
{
	return real(f)->pMethods->xDeviceCharacteristics(real(f));
}

static int
x_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out)
{
	return real(f)->pMethods->xShmMap(real(f), page, size, extend, out);
}

static int
x_shm_lock(sqlite3_file *f, int at, int n, int flags)
{
	return real(f)->pMethods->xShmLock(real(f), at, n, flags);
}

static void
x_shm_barrier(sqlite3_file *f)
{
	real(f)->pMethods->xShmBarrier(real(f));
}

static int
x_shm_unmap(sqlite3_file *f, int remove)
{
	return real(f)->pMethods->xShmUnmap(real(f), remove);
}

static const sqlite3_io_methods methods = {
	2, x_close, x_read, x_write, x_truncate, x_sync, x_size, x_lock, x_unlock, x_reserved, x_control, x_sector,
	x_device, x_shm_map, x_shm_lock, x_shm_barrier, x_shm_unmap, NULL, NULL,
};

static int
x_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *f, int flags, int *out)
{
	struct file *file = (struct file *)f;
	int rc;

	(void)vfs;
	file->real = (sqlite3_file *)(file + 1);
	file->base.pMethods = NULL;
	rc = real_vfs->xOpen(real_vfs, name, file->real, flags, out);
	if (rc != SQLITE_OK)
		return rc;
	file->base.pMethods = &methods;
	pthread_mutex_lock(&lock);
	open_files++;
	pthread_mutex_unlock(&lock);
	return SQLITE_OK;
}

void
fault_install(void)
{
	static sqlite3_vfs vfs;

	if (real_vfs != NULL)
		return;
	real_vfs = sqlite3_vfs_find(NULL);
	vfs = *real_vfs;
	vfs.zName = "fault";
	vfs.pNext = NULL;
	vfs.szOsFile += (int)sizeof(struct file);
	vfs.xOpen = x_open;
	sqlite3_vfs_register(&vfs, 1);
}

#include <stddef.h>

#include "probes/wire/nfs_parse.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

const char *
nfs2_name(uint32_t proc)
{
	static const char *const names[] = { "NULL", "GETATTR", "SETATTR", "ROOT", "LOOKUP", "READLINK", "READ", "WRITECACHE", "WRITE",
		"CREATE", "REMOVE", "RENAME", "LINK", "SYMLINK", "MKDIR", "RMDIR", "READDIR", "STATFS" };

	return proc < COUNT(names) ? names[proc] : NULL;
}

const char *
nfs3_name(uint32_t proc)
{
	static const char *const names[] = { "NULL", "GETATTR", "SETATTR", "LOOKUP", "ACCESS", "READLINK", "READ", "WRITE", "CREATE",
		"MKDIR", "SYMLINK", "MKNOD", "REMOVE", "RMDIR", "RENAME", "LINK", "READDIR", "READDIRPLUS", "FSSTAT", "FSINFO",
		"PATHCONF", "COMMIT" };

	return proc < COUNT(names) ? names[proc] : NULL;
}

const char *
nfs4_name(uint32_t op)
{
	static const char *const names[NFS4_OP_LAST + 1] = {
		"NULL", "COMPOUND", "PRIVATE", "ACCESS", "CLOSE", "COMMIT", "CREATE", "DELEGPURGE", "DELEGRETURN", "GETATTR", "GETFH",
		"LINK", "LOCK", "LOCKT", "LOCKU", "LOOKUP", "LOOKUPP", "NVERIFY", "OPEN", "OPENATTR", "OPEN_CONFIRM",
		"OPEN_DOWNGRADE", "PUTFH", "PUTPUBFH", "PUTROOTFH", "READ", "READDIR", "READLINK", "REMOVE", "RENAME", "RENEW",
		"RESTOREFH", "SAVEFH", "SECINFO", "SETATTR", "SETCLIENTID", "SETCLIENTID_CONFIRM", "VERIFY", "WRITE",
		"RELEASE_LOCKOWNER", "BACKCHANNEL_CTL", "BIND_CONN_TO_SESSION", "EXCHANGE_ID", "CREATE_SESSION",
		"DESTROY_SESSION", "FREE_STATEID", "GET_DIR_DELEGATION", "GETDEVICEINFO", "GETDEVICELIST", "LAYOUTCOMMIT",
		"LAYOUTGET", "LAYOUTRETURN", "SECINFO_NO_NAME", "SEQUENCE", "SET_SSV", "TEST_STATEID", "WANT_DELEGATION",
		"DESTROY_CLIENTID", "RECLAIM_COMPLETE", "ALLOCATE", "COPY", "COPY_NOTIFY", "DEALLOCATE", "IO_ADVISE",
		"LAYOUTERROR", "LAYOUTSTATS", "OFFLOAD_CANCEL", "OFFLOAD_STATUS", "READ_PLUS", "SEEK", "WRITE_SAME", "CLONE",
		"GETXATTR", "SETXATTR", "LISTXATTRS", "REMOVEXATTR",
	};

	return op == NFS4_ILLEGAL ? "ILLEGAL" : op < COUNT(names) ? names[op] : NULL;
}

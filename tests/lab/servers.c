#include "tests/lab/servers.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/lab/lab.h"

#define ANSWER_MS 10000
#define PMAP 100000	/* RFC 1833, version 2 */
#define PMAP_PORT 111
#define NFS 100003
#define MOUNT 100005

static const char ganesha_conf[] =
    "NFS_CORE_PARAM { Enable_NLM = false; Enable_RQUOTA = false; Enable_UDP = false; Protocols = 3, 4;\n"
    "	mount_path_pseudo = true; }\n"
    "NFS_KRB5 { Active_krb5 = false; }\n"
    "NFSV4 { Graceless = true; RecoveryBackend = fs; RecoveryRoot = " SERVERS_DIR "/recovery; Minor_Versions = 0, 1, 2; }\n"
    "EXPORT_DEFAULTS { Access_Type = RW; Squash = No_Root_Squash; SecType = sys; }\n"
    "EXPORT { Export_Id = 1; Path = " SERVERS_DIR "/export; Pseudo = /export; FSAL { Name = VFS; } }\n"
    "LOG { Default_Log_Level = EVENT; }\n";

static _Noreturn void
die(const char *what)
{
	fprintf(stderr, "lab: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* ---- the namespaces ---- */

static bool
installed(const char *command)
{
	static const char *const places[] = { "/usr/sbin", "/sbin", "/usr/bin", "/bin" };
	char path[128];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", places[i], command);
		if (access(path, X_OK) == 0)
			return true;
	}
	return false;
}

static const char *
cannot(bool nfs, bool iscsi)
{
	if (geteuid() != 0)
		return "not root";
	if (nfs && !installed("ganesha.nfsd"))
		return "no nfs-ganesha";
	if (nfs && !installed("rpcbind"))
		return "no rpcbind";
	if (iscsi && (!installed("tgtd") || !installed("tgtadm")))
		return "no tgt";
	return NULL;
}

/* Loopback up, and one address that is none of 127.0.0.0/8: ganesha asks the resolver, which leaves those out. */
static void
make_network(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq up = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	struct ifreq more = { .ifr_name = "lo:1" };
	struct sockaddr_in address = { .sin_family = AF_INET };

	inet_pton(AF_INET, SERVERS_ADDRESS, &address.sin_addr);
	memcpy(&more.ifr_addr, &address, sizeof(address));
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &up) < 0 || ioctl(fd, SIOCSIFADDR, &more) < 0)
		die("network");
	close(fd);
}

/* The servers' sockets and pid files go here, and what they serve. */
static void
make_places(void)
{
	static const char *const dirs[] = { "/run/rpcbind", "/run/tgtd", "/run/ganesha", "/run/lock", SERVERS_DIR,
		SERVERS_DIR "/export", SERVERS_DIR "/recovery" };
	int fd;

	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 || mount("proc", "/proc", "proc", 0, NULL) != 0 ||
	    mount("lab", "/run", "tmpfs", 0, NULL) != 0)
		die("mount");
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		if (mkdir(dirs[i], 0755) != 0)
			die(dirs[i]);
	fd = open(SERVERS_DIR "/ganesha.conf", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, ganesha_conf, sizeof(ganesha_conf) - 1) < 0)
		die("ganesha.conf");
	close(fd);
}

/* The first process of a namespace: when it ends, all others there do. */
static _Noreturn void
be_init(pid_t test)
{
	int status, of_test = 0;
	pid_t pid;

	while ((pid = wait(&status)) > 0 || errno == EINTR)
		if (pid == test) {
			of_test = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
			break;
		}
	_exit(of_test);
}

const char *
servers_enter(bool nfs, bool iscsi)
{
	const char *why = cannot(nfs, iscsi);
	int status;
	pid_t pid;

	if (why != NULL)
		return why;
	if (unshare(CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET) != 0)
		return "no namespaces of our own";
	if ((pid = fork()) < 0)
		die("fork");
	if (pid > 0) {
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	make_places();
	make_network();
	pid = fork();
	if (pid > 0)
		be_init(pid);
	return NULL;
}

/* ---- processes ---- */

/* Its words go to SERVERS_DIR/NAME.log. */
static pid_t
start(const char *name, const char *const *argv)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid == 0) {
		char log[128];
		int fd;

		snprintf(log, sizeof(log), SERVERS_DIR "/%s.log", name);
		fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0644);
		dup2(fd, STDOUT_FILENO);
		dup2(fd, STDERR_FILENO);
		setenv("PATH", "/usr/sbin:/sbin:/usr/bin:/bin", 1);
		/* What sanitizers say of others' programs is not our business. */
		unsetenv("LD_PRELOAD");
		execvp(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	return pid;
}

static void
end(pid_t *pid)
{
	if (*pid <= 0)
		return;
	kill(*pid, SIGKILL);
	waitpid(*pid, NULL, 0);
	*pid = 0;
}

static void
show_log(const char *name)
{
	char line[512], path[128];
	FILE *f;

	snprintf(path, sizeof(path), SERVERS_DIR "/%s.log", name);
	f = fopen(path, "re");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		fputs(line, stderr);
	if (f != NULL)
		fclose(f);
}

/* Until it is so, or the test fails with the server's own words. */
static void
await(const char *name, pid_t pid, bool (*answers)(const void *), const void *arg)
{
	uint64_t until = lab_now_ms() + ANSWER_MS;

	while (!answers(arg)) {
		if (lab_now_ms() > until || waitpid(pid, NULL, WNOHANG) != 0) {
			show_log(name);
			fprintf(stderr, "lab: %s does not answer\n", name);
			exit(1);
		}
		nanosleep(&(struct timespec) { .tv_nsec = 5000000 }, NULL);
	}
}

/* ---- NFS ---- */

struct call {
	uint32_t program, version;
};

/* A call over TCP without authentication (RFC 5531): the first word of its result; -1: no answer, or not accepted. */
static int64_t
rpc_call(uint16_t port, const struct call *call, uint32_t procedure, const uint32_t *args, size_t n_args)
{
	uint32_t words[16] = { 0, 1, 0, 2, call->program, call->version, procedure }, reply[8] = { 0 };
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };
	const struct timeval limit = { .tv_sec = 1 };
	size_t n = 11 + n_args;
	int64_t result = -1;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, SERVERS_ADDRESS, &to.sin_addr);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	for (size_t i = 0; i < n_args; i++)
		words[11 + i] = args[i];
	words[0] = 0x80000000u | (uint32_t)((n - 1) * sizeof(*words));
	for (size_t i = 0; i < n; i++)
		words[i] = htonl(words[i]);
	/* Mark, xid, reply, accepted, verifier (2 words), success, result; a call to NULL has none. */
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 && send(fd, words, n * 4, MSG_NOSIGNAL) == (ssize_t)n * 4 &&
	    recv(fd, reply, sizeof(reply), 0) >= 28 && ntohl(reply[2]) == 1 && reply[3] == 0 && reply[6] == 0)
		result = ntohl(reply[7]);
	close(fd);
	return result;
}

static bool
pmap_answers(const void *arg)
{
	const struct call null = { PMAP, 2 };

	(void)arg;
	return rpc_call(PMAP_PORT, &null, 0, NULL, 0) >= 0;
}

/* The program is registered, and answers where it is. */
static bool
program_answers(const void *arg)
{
	const struct call pmap = { PMAP, 2 }, *call = arg;
	const uint32_t args[] = { call->program, call->version, IPPROTO_TCP, 0 };
	int64_t port = rpc_call(PMAP_PORT, &pmap, 3, args, 4);

	return port > 0 && rpc_call((uint16_t)port, call, 0, NULL, 0) >= 0;
}

void
nfs_server_start(struct nfs_server *s)
{
	static const char *const rpcbind[] = { "rpcbind", "-f", "-w", NULL };
	static const char *const ganesha[] = { "ganesha.nfsd", "-F", "-f", SERVERS_DIR "/ganesha.conf", "-L",
		SERVERS_DIR "/ganesha.log", "-p", SERVERS_DIR "/ganesha.pid", NULL };
	static const struct call calls[] = { { NFS, 3 }, { NFS, 4 }, { MOUNT, 3 } };

	if (s->rpcbind == 0) {
		s->rpcbind = start("rpcbind", rpcbind);
		await("rpcbind", s->rpcbind, pmap_answers, NULL);
	}
	s->ganesha = start("ganesha", ganesha);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		await("ganesha", s->ganesha, program_answers, &calls[i]);
}

void
nfs_server_kill(struct nfs_server *s)
{
	end(&s->ganesha);
}

void
nfs_server_stop(struct nfs_server *s)
{
	end(&s->ganesha);
	end(&s->rpcbind);
}

/* ---- iSCSI ---- */

int
iscsi_server_tell(const char *const *args)
{
	const char *argv[32] = { "tgtadm", "--lld", "iscsi" };
	int status;
	pid_t pid;

	for (size_t i = 0; args[i] != NULL && i < 28; i++)
		argv[i + 3] = args[i];
	pid = start("tgtadm", argv);
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void
must_tell(const char *const *args)
{
	if (iscsi_server_tell(args) == 0)
		return;
	show_log("tgtadm");
	exit(1);
}

static bool
tgtd_answers(const void *arg)
{
	(void)arg;
	return iscsi_server_tell((const char *const[]) { "--op", "show", "--mode", "sys", NULL }) == 0;
}

void
iscsi_server_start(struct iscsi_server *s)
{
	s->tgtd = start("tgtd", (const char *const[]) { "tgtd", "-f", "--iscsi", "portal=" SERVERS_ADDRESS ":3260", NULL });
	await("tgtd", s->tgtd, tgtd_answers, NULL);
	must_tell((const char *const[]) { "--op", "new", "--mode", "target", "--tid", "1", "-T", ISCSI_TARGET, NULL });
	must_tell((const char *const[]) { "--op", "bind", "--mode", "target", "--tid", "1", "-I", "ALL", NULL });
}

void
iscsi_server_add(int lun, const char *path, const char *type)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", lun);
	must_tell((const char *const[]) { "--op", "new", "--mode", "logicalunit", "--tid", "1", "--lun", number, "-b", path,
	    "--bstype", type, NULL });
}

void
iscsi_server_account(const char *user, const char *password)
{
	must_tell((const char *const[]) { "--op", "new", "--mode", "account", "--user", user, "--password", password, NULL });
	must_tell((const char *const[]) { "--op", "bind", "--mode", "account", "--tid", "1", "--user", user, NULL });
}

void
iscsi_server_kill(struct iscsi_server *s)
{
	end(&s->tgtd);
}

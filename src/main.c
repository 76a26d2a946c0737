/*
 * stortop: which command, and nothing else.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "core/xalloc.h"
#include "load/run.h"
#include "sys/helper.h"

static const struct command_entry {
	enum command command;
	int (*run)(const struct options *, struct env *);
} commands[] = {
	{ COMMAND_DASH, cmd_dash },
	{ COMMAND_BATCH, cmd_batch },
	{ COMMAND_RECORD, cmd_record },
	{ COMMAND_EXPORT, cmd_export },
	{ COMMAND_LIST, cmd_list },
	{ COMMAND_SHOW, cmd_show },
	{ COMMAND_DECODE, cmd_decode },
	{ COMMAND_RUN, cmd_run },
	{ COMMAND_REPORT, cmd_report },
	{ COMMAND_COMPARE, cmd_compare },
};

/* "/" and "" are the machine itself; anything else must be a directory. */
static int
set_root(struct env *env, const char *root, char **copy)
{
	struct stat st;
	size_t len;

	env->root = "";
	if (root == NULL || strspn(root, "/") == strlen(root))
		return 0;
	if (stat(root, &st) < 0) {
		cmd_warn("--root %s: %s", root, strerror(errno));
		return -1;
	}
	if (!S_ISDIR(st.st_mode)) {
		cmd_warn("--root %s: not a directory", root);
		return -1;
	}
	*copy = xstrdup(root);
	len = strlen(*copy);
	while (len > 1 && (*copy)[len - 1] == '/')
		(*copy)[--len] = '\0';
	env->root = *copy;
	env->foreign = true;
	return 0;
}

static int
run(const struct options *o)
{
	struct board board = { 0 };
	struct captures captures = o->captures;
	struct env env = { 0 };
	char *root = NULL;
	int status = 1;

	if (set_root(&env, o->root, &root) < 0)
		return 1;
	if (env.foreign && o->captures.n > 0) {
		cmd_warn("--capture: there is nothing to capture below --root %s", o->root);
		free(root);
		return 2;
	}
	status = cmd_signals();
	if (status < 0) {
		cmd_warn("no signals: %s", strerror(-status));
		free(root);
		return 1;
	}
	status = 1;
	/* Before any thread; without it what may hang is not asked for at all. */
	if (!env.foreign)
		env.helper = helper_start();
	if (!env.foreign)
		env.board = &board;
	if (!env.foreign)
		env.captures = &captures;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (commands[i].command == o->command)
			status = commands[i].run(o, &env);
	helper_stop(env.helper);
	free(root);
	return status;
}

/*
 * A standard descriptor that the caller closed would go to the next file opened, a database say, and take what is
 * meant for people. Nothing can be written to these, so a closed output is still an error.
 */
static void
fill_standard_fds(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* Asked of the pipe itself: an earlier write may have failed, whose errno is gone. */
static bool
reader_gone(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

/* What was printed with stdio: of list, run, --help and --version. A reader that has gone had enough. */
static int
end_stdout(int status)
{
	errno = 0;
	if ((fflush(stdout) == 0 && !ferror(stdout)) || errno == EPIPE || reader_gone())
		return status;
	cmd_warn("standard output: %s", errno != 0 ? strerror(errno) : "not all was written");
	return status != 0 ? status : 1;
}

int
main(int argc, char **argv)
{
	struct options o;
	int rc, status;

	fill_standard_fds();
	/*
	 * Every tick makes and frees the same few blocks. Handing them back to the kernel each time costs more in
	 * page faults than all the arithmetic.
	 */
	mallopt(M_MMAP_THRESHOLD, 8 << 20);
	mallopt(M_TRIM_THRESHOLD, 16 << 20);
	rc = options_parse(&o, argc, argv);
	status = rc == 0 ? run(&o) : rc - 1;
	options_free(&o);
	return end_stdout(status);
}

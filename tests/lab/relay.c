#include "tests/lab/relay.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/lab/servers.h"

#define TARGET_PORT 3260
#define BHS 48
#define SCSI_COMMAND 0x01
#define SCSI_RESPONSE 0x21
#define DATA_IN 0x25
#define HOLDS_STATUS 0x01	/* of a Data-In */
#define BUSY 0x08
#define MOST (1 << 20)

struct relay {
	uint8_t operation_code;
	enum relay_answer answer;
	uint8_t tag[4];		/* of the command that it is about */
	bool pending;
};

static struct sockaddr_in
address(uint16_t port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };

	inet_pton(AF_INET, SERVERS_ADDRESS, &a.sin_addr);
	return a;
}

static bool
read_all(int fd, uint8_t *buf, size_t len)
{
	return len == 0 || recv(fd, buf, len, MSG_WAITALL) == (ssize_t)len;
}

/* A whole PDU; 0: no more come. */
static size_t
read_pdu(int fd, uint8_t *pdu)
{
	size_t rest;

	if (!read_all(fd, pdu, BHS))
		return 0;
	rest = (size_t)pdu[4] * 4 + (((size_t)pdu[5] << 16 | (size_t)pdu[6] << 8 | pdu[7]) + 3) / 4 * 4;
	return rest <= MOST - BHS && read_all(fd, pdu + BHS, rest) ? BHS + rest : 0;
}

/* False: the connection is to end here. */
static bool
look_at(struct relay *r, uint8_t *pdu)
{
	unsigned kind = pdu[0] & 0x3f;

	if (kind == SCSI_COMMAND && pdu[32] == r->operation_code) {
		memcpy(r->tag, pdu + 16, sizeof(r->tag));
		r->pending = true;
		return r->answer != RELAY_HANGS_UP;
	}
	if (r->pending && memcmp(pdu + 16, r->tag, sizeof(r->tag)) == 0 &&
	    (kind == SCSI_RESPONSE || (kind == DATA_IN && (pdu[1] & HOLDS_STATUS) != 0))) {
		pdu[3] = BUSY;
		r->pending = false;
	}
	return true;
}

static bool
hand_on(struct relay *r, int from, int to, uint8_t *pdu)
{
	size_t len = read_pdu(from, pdu);

	return len > 0 && look_at(r, pdu) && send(to, pdu, len, MSG_NOSIGNAL) == (ssize_t)len;
}

static void
serve(struct relay *r, int client)
{
	struct sockaddr_in to = address(TARGET_PORT);
	int target = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct pollfd fds[2] = { { .fd = client, .events = POLLIN }, { .fd = target, .events = POLLIN } };
	uint8_t *pdu = malloc(MOST);
	bool on = pdu != NULL && connect(target, (struct sockaddr *)&to, sizeof(to)) == 0;

	r->pending = false;
	while (on && poll(fds, 2, -1) > 0)
		for (int i = 0; i < 2 && on; i++)
			on = fds[i].revents == 0 || hand_on(r, fds[i].fd, fds[1 - i].fd, pdu);
	free(pdu);
	close(target);
	close(client);
}

static _Noreturn void
live(int listening, struct relay *r)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		int client = accept(listening, NULL, NULL);

		if (client >= 0)
			serve(r, client);
	}
}

pid_t
relay_start(uint8_t operation_code, enum relay_answer answer)
{
	struct relay r = { .operation_code = operation_code, .answer = answer };
	struct sockaddr_in at = address(RELAY_PORT);
	int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	pid_t pid;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(fd, 8), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		live(fd, &r);
	close(fd);
	return pid;
}

void
relay_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

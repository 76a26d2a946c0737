#include "sys/iscsi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/scan.h"

/* Attributes of a session or connection that is going away, or that its driver does not know, are "(null)" or "<NULL>". */
static bool
attr(const struct env *env, char *out, size_t size, const char *class, const char *name, const char *file)
{
	if (env_attr(env, out, size, "/sys/class/%s/%s/%s", class, name, file) <= 0 || out[0] == '(' || out[0] == '<')
		out[0] = '\0';
	return out[0] != '\0';
}

/* The portal logged in to; where a target has redirected the login, the one it was sent to. */
static void
read_portal(const struct env *env, const char *connection, struct iscsi_session_facts *out)
{
	char port[16], local[16];

	if (!attr(env, out->address, sizeof(out->address), "iscsi_connection", connection, "address") &&
	    !attr(env, out->address, sizeof(out->address), "iscsi_connection", connection, "persistent_address"))
		return;
	if (!attr(env, port, sizeof(port), "iscsi_connection", connection, "port"))
		attr(env, port, sizeof(port), "iscsi_connection", connection, "persistent_port");
	if (attr(env, local, sizeof(local), "iscsi_connection", connection, "local_port"))
		out->local_port = (unsigned)strtoul(local, NULL, 10);
	out->port = (unsigned)strtoul(port, NULL, 10);
	snprintf(out->portal, sizeof(out->portal), strchr(out->address, ':') != NULL ? "[%s]%s%s" : "%s%s%s", out->address,
	    port[0] != '\0' ? ":" : "", port);
}

static void
read_digests(const struct env *env, const char *connection, char *out, size_t size)
{
	char header[16], data[16];

	out[0] = '\0';
	if (!attr(env, header, sizeof(header), "iscsi_connection", connection, "header_digest") ||
	    !attr(env, data, sizeof(data), "iscsi_connection", connection, "data_digest"))
		return;
	if (strcmp(header, "0") == 0 && strcmp(data, "0") == 0)
		snprintf(out, size, "none");
	else
		snprintf(out, size, "%s%s", strcmp(header, "0") != 0 ? strcmp(data, "0") != 0 ? "header " : "header" : "",
		    strcmp(data, "0") != 0 ? "data" : "");
}

/* The session lies below its host: ".../host6/session1/iscsi_session/session1". */
static void
find_host(const struct env *env, const char *name, struct iscsi_session_facts *out)
{
	char link[512];
	const char *part;

	if (env_link(env, link, sizeof(link), "/sys/class/iscsi_session/%s", name) < 0)
		return;
	for (part = strstr(link, "/host"); part != NULL; part = strstr(part + 1, "/host")) {
		size_t digits = strspn(part + 5, "0123456789");

		if (digits == 0 || digits > 9 || part[5 + digits] != '/')
			continue;
		snprintf(out->host, sizeof(out->host), "%.*s", (int)(4 + digits), part + 1);
		attr(env, out->driver, sizeof(out->driver), "scsi_host", out->host, "proc_name");
		return;
	}
}

bool
iscsi_session_read(const struct env *env, const char *name, struct iscsi_session_facts *out)
{
	char connection[48];

	*out = (struct iscsi_session_facts) { .state = "" };
	if (strncmp(name, "session", 7) != 0 ||
	    env_attr(env, out->target, sizeof(out->target), "/sys/class/iscsi_session/%s/targetname", name) < 0)
		return false;
	attr(env, out->target, sizeof(out->target), "iscsi_session", name, "targetname");
	attr(env, out->initiator, sizeof(out->initiator), "iscsi_session", name, "initiatorname");
	attr(env, out->state, sizeof(out->state), "iscsi_session", name, "state");
	/* Linux has one connection in a session */
	snprintf(connection, sizeof(connection), "connection%.16s:0", name + 7);
	read_portal(env, connection, out);
	read_digests(env, connection, out->digests, sizeof(out->digests));
	attr(env, out->connection, sizeof(out->connection), "iscsi_connection", connection, "state");
	find_host(env, name, out);
	return true;
}

static void
take_word(char *out, size_t size, const char *p, const char *end)
{
	size_t n = 0;

	p = scan_blanks(p, end);
	while (p + n < end && p[n] != ' ' && p[n] != '\t' && n + 1 < size)
		n++;
	memcpy(out, p, n);
	out[n] = '\0';
}

void
iscsi_acl_parse(const char *buf, size_t len, struct iscsi_acl_facts *out)
{
	static const char state[] = "Session State: ", address[] = "Address ", prefix[] = "TARG_SESS_STATE_";
	const char *end = buf + len;

	*out = (struct iscsi_acl_facts) { .state = "" };
	for (const char *p = buf; p < end;) {
		const char *stop = scan_line_end(p, end), *at;

		at = memmem(p, (size_t)(stop - p), state, sizeof(state) - 1);
		if (at != NULL && out->state[0] == '\0') {
			take_word(out->state, sizeof(out->state), at + sizeof(state) - 1, stop);
			if (strncmp(out->state, prefix, sizeof(prefix) - 1) == 0)
				memmove(out->state, out->state + sizeof(prefix) - 1, strlen(out->state + sizeof(prefix) - 1) + 1);
		}
		at = memmem(p, (size_t)(stop - p), address, sizeof(address) - 1);
		if (at != NULL && out->address[0] == '\0')
			take_word(out->address, sizeof(out->address), at + sizeof(address) - 1, stop);
		p = stop < end ? stop + 1 : end;
	}
}

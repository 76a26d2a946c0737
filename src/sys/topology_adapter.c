#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/dirlist.h"
#include "sys/iscsi.h"
#include "sys/text.h"
#include "sys/topology.h"

/* "" where it is not there. */
__attribute__((format(printf, 4, 5)))
static void
read_text(const struct env *env, char *out, size_t size, const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	if (env_attr(env, out, size, "%s", path) < 0)
		out[0] = '\0';
}

/* The last component of DIR/driver's target. */
static void
read_driver(const struct env *env, char *out, size_t size, const char *dir)
{
	char link[PATH_MAX];
	const char *last;

	if (env_link(env, link, sizeof(link), "%s/driver", dir) <= 0)
		return;
	last = strrchr(link, '/');
	text_copy(out, size, last != NULL ? last + 1 : link);
}

double
topology_speed_bits(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || !(value > 0 && value < 1e6))
		return 0;
	while (*end == ' ')
		end++;
	if (strncmp(end, "Gbit", 4) == 0)
		return value * 1e9;
	return strncmp(end, "Mbit", 4) == 0 ? value * 1e6 : 0;
}

/* Remote ports that are targets, as rport-HOST:BUS-NUMBER. */
static void
count_remote_ports(const struct env *env, const char *host, struct topology_adapter *out)
{
	char prefix[TOPOLOGY_NAME_MAX + 8], text[TOPOLOGY_TEXT_MAX];
	struct dirlist list;

	snprintf(prefix, sizeof(prefix), "rport-%s:", host + strlen("host"));
	if (dirlist_read(env, &list, "/sys/class/fc_remote_ports") < 0)
		return;
	for (size_t i = 0; i < list.n; i++) {
		const char *port = list.names[i];

		if (strncmp(port, prefix, strlen(prefix)) != 0)
			continue;
		read_text(env, text, sizeof(text), "/sys/class/fc_remote_ports/%s/roles", port);
		if (strstr(text, "Target") == NULL)
			continue;
		out->ports++;
		read_text(env, text, sizeof(text), "/sys/class/fc_remote_ports/%s/port_state", port);
		out->ports_online += strcmp(text, "Online") == 0;
	}
	dirlist_free(&list);
}

static void
read_speed(const struct env *env, const char *path, struct topology_adapter *out)
{
	char *slash;

	read_text(env, out->speed, sizeof(out->speed), "%s", path);
	out->speed_bits = topology_speed_bits(out->speed);
	if (out->speed_bits <= 0) {
		out->speed[0] = '\0';
		return;
	}
	slash = strstr(out->speed, "/s");
	if (slash != NULL)
		*slash = '\0';
}

static void
read_host(const struct env *env, const char *host, struct topology_adapter *out)
{
	char text[32];

	read_text(env, out->driver, sizeof(out->driver), "/sys/class/scsi_host/%s/proc_name", host);
	read_text(env, text, sizeof(text), "/sys/class/scsi_host/%s/can_queue", host);
	out->queue_depth = text[0] != '\0' ? strtol(text, NULL, 10) : -1;
	read_text(env, out->state, sizeof(out->state), "/sys/class/scsi_host/%s/state", host);
}

/* Drivers that give no name of their own print "(null)" or "<NULL>". */
static bool
no_name(const char *driver)
{
	return driver[0] == '\0' || driver[0] == '<' || driver[0] == '(';
}

/* A tree without /sys/class has the same attributes below the host. */
static void
read_host_in_place(const struct env *env, const struct topology_facts *facts, struct topology_adapter *out)
{
	if (facts->adapter_dir == NULL)
		return;
	if (no_name(out->driver))
		read_text(env, out->driver, sizeof(out->driver), "%s/scsi_host/%s/proc_name", facts->adapter_dir,
		    facts->adapter);
	if (no_name(out->driver)) {
		const char *slash = strstr(facts->adapter_dir, facts->pci);

		out->driver[0] = '\0';
		if (facts->pci[0] != '\0' && slash != NULL) {
			char dir[PATH_MAX];

			snprintf(dir, sizeof(dir), "%.*s", (int)(slash - facts->adapter_dir + (long)strlen(facts->pci)),
			    facts->adapter_dir);
			read_driver(env, out->driver, sizeof(out->driver), dir);
		}
	}
}

/* Transport classes of SCSI hosts, where the path does not name the transport. */
static const char *
host_transport(const struct env *env, const char *host)
{
	static const struct {
		const char *class, *attr, *transport;
	} classes[] = {
		{ "fc_host", "port_name", "fc" },
		{ "iscsi_host", "netdev", "iscsi" },
		{ "srp_host", "local_ib_device", "srp" },
		{ "spi_host", "signalling", "spi" },
	};
	char text[TOPOLOGY_TEXT_MAX];

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (env_attr(env, text, sizeof(text), "/sys/class/%s/%s/%s", classes[i].class, host, classes[i].attr) >= 0)
			return classes[i].transport;
	return "";
}

static void
read_fc(const struct env *env, const char *host, struct topology_adapter *out)
{
	char path[PATH_MAX];

	read_text(env, out->port_name, sizeof(out->port_name), "/sys/class/fc_host/%s/port_name", host);
	read_text(env, out->state, sizeof(out->state), "/sys/class/fc_host/%s/port_state", host);
	snprintf(path, sizeof(path), "/sys/class/fc_host/%s/speed", host);
	read_speed(env, path, out);
	count_remote_ports(env, host, out);
}

/* iSCSI in software has a host for each session: what it is about is the target. */
static void
read_target(const struct env *env, const char *session, struct topology_adapter *out)
{
	struct iscsi_session_facts facts;

	if (!iscsi_session_read(env, session, &facts))
		return;
	snprintf(out->address, sizeof(out->address), "%s%s%s", facts.target, facts.portal[0] != '\0' ? " @ " : "", facts.portal);
}

static void
read_scsi(const struct env *env, const struct topology_facts *facts, struct topology_adapter *out)
{
	read_host(env, facts->adapter, out);
	read_host_in_place(env, facts, out);
	text_copy(out->transport, sizeof(out->transport), facts->transport != NULL ? facts->transport : host_transport(env, facts->adapter));
	if (strcmp(out->transport, "fc") == 0)
		read_fc(env, facts->adapter, out);
	if (facts->session[0] != '\0')
		read_target(env, facts->session, out);
}

static void
read_controller(const struct env *env, const char *dir, struct topology_adapter *out)
{
	char address[TOPOLOGY_TEXT_MAX];

	read_text(env, out->transport, sizeof(out->transport), "%s/transport", dir);
	read_text(env, address, sizeof(address), "%s/address", dir);
	if (address[0] != '\0')
		strcpy(out->address, address);
	read_text(env, out->state, sizeof(out->state), "%s/state", dir);
}

/* The controllers of a subsystem are links in it: nvme0, nvme1. */
static void
read_subsystem(const struct env *env, const char *subsystem, struct topology_adapter *out)
{
	struct dirlist list;

	if (dirlist_read(env, &list, "/sys/class/nvme-subsystem/%s", subsystem) < 0)
		return;
	for (size_t i = 0; i < list.n; i++) {
		const char *name = list.names[i];
		struct topology_adapter one = { .queue_depth = -1 };
		char dir[TOPOLOGY_TEXT_MAX * 2];

		if (strncmp(name, "nvme", 4) != 0 || strspn(name + 4, "0123456789") != strlen(name + 4))
			continue;
		snprintf(dir, sizeof(dir), "/sys/class/nvme-subsystem/%s/%.64s", subsystem, name);
		read_controller(env, dir, &one);
		if (one.state[0] == '\0')
			continue;
		out->ports++;
		out->ports_online += strcmp(one.state, "live") == 0;
		strcpy(out->transport, one.transport);
	}
	dirlist_free(&list);
}

void
topology_adapter(const struct env *env, const struct topology_facts *facts, struct topology_adapter *out)
{
	*out = (struct topology_adapter){ .queue_depth = -1 };
	if (facts->family->driver != NULL)
		text_copy(out->driver, sizeof(out->driver), facts->family->driver);
	if (facts->transport != NULL)
		text_copy(out->transport, sizeof(out->transport), facts->transport);
	text_copy(out->address, sizeof(out->address), facts->pci);
	switch (facts->bus) {
	case BUS_SCSI:
		if (strncmp(facts->adapter, "host", 4) == 0)
			read_scsi(env, facts, out);
		break;
	case BUS_NVME:
		if (facts->adapter_dir != NULL)
			read_controller(env, facts->adapter_dir, out);
		break;
	case BUS_NVME_HEAD:
		read_subsystem(env, facts->adapter, out);
		break;
	case BUS_VIRTIO:
	case BUS_MMC:
		if (facts->adapter_dir != NULL)
			read_driver(env, out->driver, sizeof(out->driver), facts->adapter_dir);
		break;
	default:
		break;
	}
}

void
topology_fc_host(const struct env *env, const char *host, struct topology_adapter *out)
{
	*out = (struct topology_adapter){ .queue_depth = -1, .transport = "fc" };
	if (strncmp(host, "host", 4) != 0)
		return;
	read_host(env, host, out);
	if (no_name(out->driver))
		out->driver[0] = '\0';
	read_fc(env, host, out);
}

/*
 * This host as an NFS server: what the kernel's server has done for all clients together, and which NFSv4 clients it knows. It
 * counts no latencies, and nothing by client.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "probes/nfsd_parse.h"
#include "probes/probe.h"
#include "sys/dirlist.h"
#include "sys/text.h"

#define EVERY_NS UINT64_C(5000000000)
#define CLIENTS "/proc/fs/nfsd/clients"
#define CLIENTS_MOST 1000	/* that are looked at one by one */

struct client {
	char id[24];
	bool found;
	struct nfsd_client_text text;
	struct object *object;
};

struct nfsd_probe {
	struct probe probe;
	struct kept_file stats;
	struct object *server;		/* NULL: no server here so far */
	uint64_t looked_ns;		/* for the server while there is none, and for its clients; 0: now */
	size_t n;
	uint64_t known;			/* clients there are, which may be more than are looked at; or ABSENT */
	struct client **clients;
};

static int
nfsd_open(struct probe *probe)
{
	((struct nfsd_probe *)probe)->stats = (struct kept_file)KEPT_FILE("/proc/net/rpc/nfsd");
	return 0;
}

static void
client_free(struct client *c)
{
	object_unref(c->object);
	free(c);
}

static struct client *
client_at(struct nfsd_probe *p, const char *id)
{
	struct client *c;

	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->clients[i]->id, id) == 0)
			return p->clients[i];
	p->clients = xreallocarray(p->clients, p->n + 1, sizeof(struct client *));
	p->clients[p->n++] = c = xcalloc(1, sizeof(*c));
	text_copy(c->id, sizeof(c->id), id);
	return c;
}

/* A client without an address is not known well enough to be told of. */
static void
build(const struct nfsd_probe *p, struct client *c)
{
	char *identity = xasprintf("client %s %s", c->id, c->text.name);
	struct object *o = object_new(&kind_nfsd_client, c->object != NULL ? c->object->uid : 0, c->text.address, identity);

	o->parent = p->server->uid;
	object_label(o, LABEL_INITIATOR, c->text.name);
	object_label(o, LABEL_VERSION, c->text.version);
	object_label(o, LABEL_STATE, c->text.status);
	free(identity);
	if (c->object != NULL && object_same(c->object, o)) {
		object_unref(o);
		return;
	}
	object_unref(c->object);
	c->object = o;
}

static void
read_client(struct nfsd_probe *p, const char *id)
{
	char *path = xasprintf(CLIENTS "/%s/info", id), *buf = NULL;
	struct nfsd_client_text text;
	size_t cap = 0;
	long len = strlen(id) < sizeof(((struct client *)0)->id) ? env_read(p->probe.env, path, &buf, &cap) : -1;

	if (len > 0) {
		nfsd_client_parse(buf, (size_t)len, &text);
		if (text.address[0] != '\0') {
			struct client *c = client_at(p, id);

			c->text = text;
			c->found = true;
			build(p, c);
		}
	}
	free(buf);
	free(path);
}

static void
list_clients(struct nfsd_probe *p)
{
	struct dirlist list;
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		p->clients[i]->found = false;
	/* not before 5.3, and for root alone */
	p->known = ABSENT;
	if (dirlist_read(p->probe.env, &list, CLIENTS) == 0) {
		p->known = list.n;
		for (size_t i = 0; i < list.n && i < CLIENTS_MOST; i++)
			read_client(p, list.names[i]);
		dirlist_free(&list);
	}
	for (size_t i = 0; i < p->n; i++) {
		if (p->clients[i]->found)
			p->clients[n++] = p->clients[i];
		else
			client_free(p->clients[i]);
	}
	p->n = n;
}

static void
put(struct nfsd_probe *p, struct snapshot *snapshot)
{
	uint64_t *cells = snapshot_add(snapshot_table(snapshot, &kind_nfsd), p->server);
	struct snapshot_table *clients = snapshot_table(snapshot, &kind_nfsd_client);

	nfsd_parse(p->stats.buf, p->stats.len, cells);
	cells[NFSD_CLIENTS] = p->known;
	for (size_t i = 0; i < p->n; i++)
		snapshot_add(clients, p->clients[i]->object)[NFSD_CLIENT_RENEWED_S] = p->clients[i]->text.renewed_s;
}

static int
nfsd_sample(struct probe *probe, struct snapshot *snapshot)
{
	struct nfsd_probe *p = (struct nfsd_probe *)probe;
	uint64_t now_ns = snapshot->stamp.mono_ns;
	bool look = p->looked_ns == 0 || now_ns - p->looked_ns >= EVERY_NS;

	if (look)
		p->looked_ns = now_ns;
	snprintf(probe->note, sizeof(probe->note), "no NFS server here");
	if ((p->server == NULL && !look) || kept_file_read(probe->env, &p->stats) < 0)
		return 0;
	/* the file is there as soon as the module is: a server that was never started has no threads and no calls */
	if (p->server == NULL) {
		uint64_t cells[NFSD_METRICS];

		nfsd_parse(p->stats.buf, p->stats.len, cells);
		if ((cells[NFSD_THREADS] == 0 || cells[NFSD_THREADS] == ABSENT) && (cells[NFSD_CALLS] == 0 || cells[NFSD_CALLS] == ABSENT))
			return 0;
		p->server = object_new(&kind_nfsd, 0, "nfsd", "nfsd");
		object_label(p->server, LABEL_NOTE, "server for all clients");
	}
	probe->note[0] = '\0';
	if (look)
		list_clients(p);
	put(p, snapshot);
	return 0;
}

static void
nfsd_close(struct probe *probe)
{
	struct nfsd_probe *p = (struct nfsd_probe *)probe;

	for (size_t i = 0; i < p->n; i++)
		client_free(p->clients[i]);
	free(p->clients);
	object_unref(p->server);
	kept_file_close(&p->stats);
	p->clients = NULL;
	p->server = NULL;
	p->n = 0;
}

static const struct kind *const kinds[] = { &kind_nfsd, &kind_nfsd_client, NULL };

const struct probe_ops probe_nfsd = {
	.name = "nfsd",
	.what = "this host as an NFS server: /proc/net/rpc/nfsd, /proc/fs/nfsd/clients",
	.kinds = kinds,
	.size = sizeof(struct nfsd_probe),
	.open = nfsd_open,
	.sample = nfsd_sample,
	.close = nfsd_close,
};

#include "probes/iscsi_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/kinds/kinds.h"
#include "core/xalloc.h"
#include "sys/dirlist.h"
#include "sys/iscsi.h"
#include "sys/scan.h"

#define ROOT "/sys/kernel/config/target/iscsi"
#define SECTORS_PER_MB 2048

static void
drop_luns(struct iscsi_target_party *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->luns[i].dir);
		object_unref(p->luns[i].object);
	}
	free(p->luns);
	p->luns = NULL;
	p->n = 0;
}

static void
party_free(struct iscsi_target_party *p)
{
	drop_luns(p);
	object_unref(p->object);
	free(p->dir);
	free(p);
}

static struct iscsi_target_party *
party_at(struct iscsi_targets *t, const char *dir)
{
	struct iscsi_target_party *p;

	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->parties[i]->dir, dir) == 0)
			return t->parties[i];
	t->parties = xreallocarray(t->parties, t->n + 1, sizeof(struct iscsi_target_party *));
	t->parties[t->n++] = p = xcalloc(1, sizeof(*p));
	p->dir = xstrdup(dir);
	return p;
}

/* The new version takes the place of the old one, unless it says the same. Takes over the reference. */
static void
publish(struct object **place, struct object *fresh)
{
	if (*place != NULL && object_same(*place, fresh)) {
		object_unref(fresh);
		return;
	}
	object_unref(*place);
	*place = fresh;
}

/* What stores a LUN: the link beside its statistics, ".../target/core/fileio_0/disk1", ends with it. */
static void
label_store(const struct env *env, const char *dir, struct object *o)
{
	struct dirlist list;
	char link[512];

	if (dirlist_read(env, &list, "%s", dir) < 0)
		return;
	for (size_t i = 0; i < list.n; i++) {
		const char *core;

		if (env_link(env, link, sizeof(link), "%s/%s", dir, list.names[i]) < 0)
			continue;
		core = strstr(link, "/target/core/");
		if (core != NULL)
			object_label(o, LABEL_BACKING, core + strlen("/target/core/"));
	}
	dirlist_free(&list);
}

static void
add_lun(struct iscsi_target_party *p, const struct env *env, const char *dir, const char *name, bool mapped)
{
	struct iscsi_target_lun *lun;
	char *identity = xasprintf("%s of %s", name, p->object->identity), *whole = xasprintf("%s/%s", dir, name);

	p->luns = xreallocarray(p->luns, p->n + 1, sizeof(*p->luns));
	lun = &p->luns[p->n++];
	*lun = (struct iscsi_target_lun) { .mapped = mapped };
	lun->object = object_new(&kind_iscsi_lun, 0, name, identity);
	lun->object->parent = lun->object->counts_in = p->object->uid;
	label_store(env, whole, lun->object);
	lun->dir = xasprintf("%s/statistics/%s", whole, mapped ? "scsi_auth_intr" : "scsi_tgt_port");
	free(whole);
	free(identity);
}

static bool
same_luns(const struct iscsi_target_party *p, const struct dirlist *list)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		if (strncmp(list->names[i], "lun_", 4) != 0)
			continue;
		if (n == p->n || strcmp(p->luns[n].object->name, list->names[i]) != 0)
			return false;
		n++;
	}
	return n == p->n;
}

static void
list_luns(struct iscsi_target_party *p, const struct env *env, const char *dir, bool mapped)
{
	struct dirlist list;

	if (dirlist_read(env, &list, "%s", dir) < 0) {
		drop_luns(p);
		return;
	}
	if (!same_luns(p, &list)) {
		drop_luns(p);
		for (size_t i = 0; i < list.n; i++)
			if (strncmp(list.names[i], "lun_", 4) == 0)
				add_lun(p, env, dir, list.names[i], mapped);
	}
	dirlist_free(&list);
}

static struct object *
party_object(const struct iscsi_target_party *p, const char *name, const char *identity)
{
	struct object *o = object_new(&kind_iscsi_session, p->object != NULL ? p->object->uid : 0, name, identity);

	object_label(o, LABEL_DRIVER, "LIO");
	object_label(o, LABEL_TRANSPORT, "iscsi");
	return o;
}

/* An initiator that the target knows, with a session or without. */
static void
list_initiator(struct iscsi_targets *t, const struct env *env, const char *target, const char *dir, const char *name)
{
	char *own = xasprintf("%s/%s", dir, name), *identity = xasprintf("%s at %s", name, target);
	char *path = xasprintf("%s/info", own), *buf = NULL;
	struct iscsi_target_party *p = party_at(t, own);
	struct iscsi_acl_facts facts;
	size_t cap = 0;
	long len = env_read(env, path, &buf, &cap);
	struct object *o = party_object(p, name, identity);

	iscsi_acl_parse(buf, len > 0 ? (size_t)len : 0, &facts);
	object_label(o, LABEL_TARGET, target);
	object_label(o, LABEL_ADDRESS, facts.address);
	object_label(o, LABEL_STATE, facts.state[0] != '\0' ? facts.state : "no session");
	publish(&p->object, o);
	p->found = true;
	list_luns(p, env, own, true);
	free(buf);
	free(path);
	free(identity);
	free(own);
}

/* "iqn...,1": a target's name and portal group, as initiators write it. */
static void
list_group(struct iscsi_targets *t, const struct env *env, const char *target, const char *group)
{
	char *dir = xasprintf(ROOT "/%s/%s", target, group), *name = xasprintf("%s,%s", target, group + strlen("tpgt_"));
	char *luns = xasprintf("%s/lun", dir), *acls = xasprintf("%s/acls", dir), enabled[8];
	struct iscsi_target_party *p = party_at(t, dir);
	struct object *o = party_object(p, name, name);
	struct dirlist list;

	if (env_attr(env, enabled, sizeof(enabled), "%s/enable", dir) > 0)
		object_label(o, LABEL_STATE, strcmp(enabled, "1") == 0 ? "enabled" : "disabled");
	object_label(o, LABEL_NOTE, "target, all initiators");
	publish(&p->object, o);
	p->found = true;
	list_luns(p, env, luns, false);
	if (dirlist_read(env, &list, "%s", acls) == 0) {
		for (size_t i = 0; i < list.n; i++)
			list_initiator(t, env, name, acls, list.names[i]);
		dirlist_free(&list);
	}
	free(acls);
	free(luns);
	free(name);
	free(dir);
}

static void
list_target(struct iscsi_targets *t, const struct env *env, const char *target)
{
	struct dirlist list;

	if (dirlist_read(env, &list, ROOT "/%s", target) < 0)
		return;
	for (size_t i = 0; i < list.n; i++)
		if (strncmp(list.names[i], "tpgt_", 5) == 0)
			list_group(t, env, target, list.names[i]);
	dirlist_free(&list);
}

void
iscsi_targets_list(struct iscsi_targets *t, const struct env *env)
{
	struct dirlist list;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		t->parties[i]->found = false;
	if (dirlist_read(env, &list, ROOT) == 0) {
		for (size_t i = 0; i < list.n; i++)
			if (strcmp(list.names[i], "discovery_auth") != 0)
				list_target(t, env, list.names[i]);
		dirlist_free(&list);
	}
	for (size_t i = 0; i < t->n; i++) {
		if (t->parties[i]->found)
			t->parties[n++] = t->parties[i];
		else
			party_free(t->parties[i]);
	}
	t->n = n;
}

static uint64_t
number(const struct env *env, const char *dir, const char *file)
{
	char text[32];
	uint64_t value;
	long len = env_attr(env, text, sizeof(text), "%s/%s", dir, file);

	return len > 0 && scan_u64(text, text + len, &value) == text + len ? value : ABSENT;
}

static uint64_t
sectors(uint64_t megabytes)
{
	return megabytes <= ABSENT / SECTORS_PER_MB ? megabytes * SECTORS_PER_MB : ABSENT;
}

void
iscsi_targets_put(struct iscsi_targets *t, const struct env *env, struct snapshot_table *sessions, struct snapshot_table *luns)
{
	for (size_t i = 0; i < t->n; i++) {
		struct iscsi_target_party *p = t->parties[i];

		snapshot_add(sessions, p->object);
		for (size_t k = 0; k < p->n; k++) {
			const struct iscsi_target_lun *lun = &p->luns[k];
			uint64_t *cells = snapshot_add(luns, lun->object);

			cells[ISCSI_LUN_COMMANDS] = number(env, lun->dir, lun->mapped ? "num_cmds" : "in_cmds");
			cells[ISCSI_LUN_READ_SECTORS] = sectors(number(env, lun->dir, "read_mbytes"));
			cells[ISCSI_LUN_WRITE_SECTORS] = sectors(number(env, lun->dir, "write_mbytes"));
		}
	}
}

void
iscsi_targets_clear(struct iscsi_targets *t)
{
	for (size_t i = 0; i < t->n; i++)
		party_free(t->parties[i]);
	free(t->parties);
	*t = (struct iscsi_targets) { .n = 0 };
}

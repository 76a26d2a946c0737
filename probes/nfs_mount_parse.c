#include "probes/nfs_mount_parse.h"

#include <string.h>

#include "core/snapshot.h"
#include "sys/scan.h"

#define NUMBERS_MOST 32

static bool
starts_with(const char *p, const char *end, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(end - p) >= len && memcmp(p, word, len) == 0;
}

/* The first place of the word in the text, or NULL. */
static const char *
find(const char *p, const char *end, const char *word)
{
	return p < end ? memmem(p, (size_t)(end - p), word, strlen(word)) : NULL;
}

static struct nfs_text
word_at(const char *p, const char *end)
{
	const char *start = p = scan_blanks(p, end);

	while (p < end && *p != ' ' && *p != '\t')
		p++;
	return (struct nfs_text) { start, (size_t)(p - start) };
}

/* "nas:/vol1 mounted on /mnt/vol1 with fstype nfs4 statvers=1.1"; blanks in the names are escaped. */
static bool
parse_device(const char *p, const char *end, struct nfs_mount_text *out)
{
	const char *on = find(p, end, " mounted on "), *with;

	if (on == NULL)
		return false;
	out->source = (struct nfs_text) { p, (size_t)(on - p) };
	p = on + strlen(" mounted on ");
	with = find(p, end, " with fstype ");
	if (with == NULL)
		return false;
	out->point = (struct nfs_text) { p, (size_t)(with - p) };
	p = with + strlen(" with fstype ");
	out->fstype = word_at(p, end);
	return (starts_with(p, end, "nfs ") || starts_with(p, end, "nfs4 ")) && find(p, end, " statvers=") != NULL;
}

/*
 * All numbers up to the end of the line, at most NUMBERS_MOST. Some are printed signed, and kernel 3.10 let times run below
 * zero: what is no counter is ABSENT.
 */
static size_t
numbers(const char *p, const char *end, uint64_t *out)
{
	size_t n = 0;

	while (n < NUMBERS_MOST) {
		struct nfs_text word = word_at(p, end);
		uint64_t value;

		if (word.len == 0)
			break;
		p = word.p + word.len;
		out[n] = ABSENT;
		if (scan_u64(word.p, p, &value) == p && value <= INT64_MAX)
			out[n] = value;
		n++;
	}
	return n;
}

static uint64_t
at(const uint64_t *values, size_t n, size_t i)
{
	return i < n ? values[i] : ABSENT;
}

/*
 * tcp, local and rdma have three numbers on connecting that udp lacks. Behind the backlog come, since 3.4, the slots, and the queues of those
 * who wait to send and of those who wait for a reply; rdma has figures of its own there.
 */
static bool
parse_xprt(const char *p, const char *end, struct nfs_mount_text *out)
{
	struct nfs_xprt_text *x = &out->xprts[out->n_xprts];
	uint64_t v[NUMBERS_MOST];
	bool udp, rdma;
	size_t n, base;

	if (out->n_xprts == NFS_XPRTS_MOST)
		return true;
	*x = (struct nfs_xprt_text) { .type = word_at(p, end) };
	udp = x->type.len == 3 && memcmp(x->type.p, "udp", 3) == 0;
	rdma = x->type.len == 4 && memcmp(x->type.p, "rdma", 4) == 0;
	n = numbers(x->type.p + x->type.len, end, v);
	base = udp ? 2 : 5;
	if (n < base + 5)
		return false;
	x->port = v[0];
	x->connects = udp ? ABSENT : v[2];
	x->sends = v[base];
	x->replies = v[base + 1];
	x->bad_xids = v[base + 2];
	x->req_sum = v[base + 3];
	x->backlog_sum = v[base + 4];
	x->pending_sum = rdma ? ABSENT : at(v, n, base + 7);
	out->n_xprts++;
	return true;
}

/* "        READ: 250 250 0 34000 16416000 5 775 780 0" */
static bool
parse_op(const char *p, const char *end, struct nfs_mount_text *out)
{
	const char *colon = memchr(p, ':', (size_t)(end - p));
	struct nfs_op_text *op = &out->ops[out->n_ops];
	uint64_t v[NUMBERS_MOST];
	size_t n;

	if (colon == NULL || colon == p)
		return false;
	if (out->n_ops == NFS_OPS_MOST)
		return true;
	n = numbers(colon + 1, end, v);
	if (n < 8)
		return false;
	op->name = (struct nfs_text) { p, (size_t)(colon - p) };
	for (size_t i = 0; i <= NFS_ERRORS; i++)
		op->cells[i] = at(v, n, i);
	out->n_ops++;
	return true;
}

/* normal and direct reads and writes of the applications, then what the server read and wrote; pages */
static bool
parse_bytes(const char *p, const char *end, struct nfs_mount_text *out)
{
	uint64_t v[NUMBERS_MOST];
	size_t n = numbers(p, end, v);

	if (n < 6)
		return false;
	out->read_bytes = v[4];
	out->written_bytes = v[5];
	return true;
}

static bool
parse_age(const char *p, const char *end, struct nfs_mount_text *out)
{
	return scan_u64(p, end, &out->age_s) != NULL;
}

static bool
parse_opts(const char *p, const char *end, struct nfs_mount_text *out)
{
	out->opts = word_at(p, end);
	return true;
}

/* "RPC iostats version: 1.1  p/v: 100003/4 (nfs)" */
static bool
parse_version(const char *p, const char *end, struct nfs_mount_text *out)
{
	const char *slash = find(p, end, "100003/");
	uint64_t version;

	if (slash != NULL && scan_u64(slash + strlen("100003/"), end, &version) != NULL)
		out->program_version = version;
	return true;
}

static const struct {
	const char *word;
	bool (*parse)(const char *p, const char *end, struct nfs_mount_text *);
} lines[] = {
	{ "opts:", parse_opts },
	{ "age:", parse_age },
	{ "bytes:", parse_bytes },
	{ "RPC iostats version:", parse_version },
	{ "xprt:", parse_xprt },
};

/* A line below the heading of a mount; false where it makes no sense. */
static bool
parse_line(const char *p, const char *end, bool *ops, struct nfs_mount_text *out)
{
	p = scan_blanks(p, end);
	if (p == end)
		return true;
	if (*ops)
		return parse_op(p, end, out);
	*ops = starts_with(p, end, "per-op statistics");
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (starts_with(p, end, lines[i].word))
			return lines[i].parse(p + strlen(lines[i].word), end, out);
	return true;
}

static bool
is_heading(const char *p, const char *end)
{
	return starts_with(p, end, "device ") || starts_with(p, end, "no device ");
}

static void
parse_body(struct nfs_cursor *cursor, struct nfs_mount_text *out)
{
	bool ops = false;

	while (cursor->p < cursor->end) {
		const char *line = cursor->p, *end = scan_line_end(line, cursor->end);

		if (is_heading(line, end))
			return;
		cursor->p = end < cursor->end ? end + 1 : end;
		if (!parse_line(line, end, &ops, out))
			cursor->skipped++;
	}
}

bool
nfs_mount_next(struct nfs_cursor *cursor, struct nfs_mount_text *out)
{
	while (cursor->p < cursor->end) {
		const char *line = cursor->p, *end = scan_line_end(line, cursor->end);

		cursor->p = end < cursor->end ? end + 1 : end;
		out->n_xprts = out->n_ops = 0;
		out->age_s = out->read_bytes = out->written_bytes = ABSENT;
		out->program_version = 0;
		out->opts = (struct nfs_text) { line, 0 };
		if (!starts_with(line, end, "device ") || !parse_device(line + strlen("device "), end, out))
			continue;
		parse_body(cursor, out);
		return true;
	}
	return false;
}

bool
nfs_mount_option(struct nfs_text opts, const char *name, struct nfs_text *value)
{
	const char *p = opts.p, *end = opts.p + opts.len;
	size_t len = strlen(name);

	while (p < end) {
		const char *comma = memchr(p, ',', (size_t)(end - p)), *stop = comma != NULL ? comma : end;

		if ((size_t)(stop - p) > len && memcmp(p, name, len) == 0 && p[len] == '=') {
			*value = (struct nfs_text) { p + len + 1, (size_t)(stop - p) - len - 1 };
			return true;
		}
		p = comma != NULL ? comma + 1 : end;
	}
	return false;
}

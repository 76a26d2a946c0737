/*
 * RPC and NFS: records in fragments, Kerberos, TLS, numbers used again, requests sent again, compounds, names of exports.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pcap/dlt.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "lan.h"

#define READ 6
#define WRITE 7
#define GETATTR 1
#define COMPOUND 1
#define PRIVATE 2
#define V4_READ 25
#define V4_WRITE 38

struct scene {
	struct lan *l;
	struct tcp t;
	struct msg *m;
};

static struct scene
scene(void)
{
	struct scene s = { .l = lan_new(DLT_EN10MB), .m = xcalloc(1, sizeof(struct msg)) };

	s.t = tcp_new(s.l, 800, 2049);
	tcp_open(&s.t);
	return s;
}

static void
end(struct scene *s)
{
	lan_free(s->l);
	free(s->m);
}

static void
send(struct scene *s, unsigned side)
{
	tcp_put(&s->t, side, s->m->b, s->m->n);
}

/* The record in s->m as fragments of `piece` bytes. */
static void
in_fragments(struct msg *m, size_t piece)
{
	struct msg *out = xcalloc(1, sizeof(*out));

	for (size_t at = 4; at < m->n; at += piece) {
		size_t n = m->n - at < piece ? m->n - at : piece;

		put32(out, (at + n == m->n ? UINT32_C(0x80000000) : 0) | (uint32_t)n);
		put_bytes(out, m->b + at, n);
	}
	*m = *out;
	free(out);
}

static void
test_fragments(void **state)
{
	(void)state;
	for (size_t piece = 1; piece < 3000; piece = piece * 5 / 3 + 1) {
		struct scene s = scene();

		/* Nothing begins with a fragment of a few bytes; but it may go on with them. */
		nfs3_getattr(s.m, 3);
		send(&s, 0);
		nfs3_write(s.m, 1, 2000);
		in_fragments(s.m, piece);
		for (size_t at = 0; at < s.m->n; at += 333)
			tcp_put(&s.t, 0, s.m->b + at, s.m->n - at < 333 ? s.m->n - at : 333);
		nfs3_write_ok(s.m, 1, 2000);
		in_fragments(s.m, piece);
		send(&s, 1);
		nfs3_getattr(s.m, 2);
		send(&s, 0);
		assert_int_equal(lan_op(s.l, WIRE_NFS3, WRITE).replies, 1);
		assert_int_equal(lan_op(s.l, WIRE_NFS3, WRITE).bytes, 2000);
		assert_int_equal(lan_op(s.l, WIRE_NFS3, GETATTR).calls, 2);
		assert_int_equal(lan_health(s.l)->malformed + lan_health(s.l)->truncated, 0);
		end(&s);
	}
}

/* A call with RPCSEC_GSS (RFC 2203): a service of 2 is krb5i, of 3 krb5p. Up to the arguments. */
static void
gss_call(struct msg *m, uint32_t xid, uint32_t vers, uint32_t proc, uint32_t gss_proc, uint32_t service)
{
	m->n = 0;
	put32(m, 0);
	put32(m, xid);
	put32(m, 0);
	put32(m, 2);
	put32(m, 100003);
	put32(m, vers);
	put32(m, proc);
	put32(m, 6);
	put32(m, 24);
	put32(m, 1);
	put32(m, gss_proc);
	put32(m, 99);	/* sequence number */
	put32(m, service);
	put_opaque(m, "hand", 4);
	put32(m, 6);
	put_opaque(m, NULL, 37);
}

static void
gss_reply(struct msg *m, uint32_t xid)
{
	m->n = 0;
	put32(m, 0);
	put32(m, xid);
	put32(m, 1);
	put32(m, 0);
	put32(m, 6);
	put_opaque(m, NULL, 37);
	put32(m, 0);
}

static void
test_krb5i(void **state)
{
	struct scene s = scene();

	(void)state;
	gss_call(s.m, 1, 3, READ, 0, 2);
	put32(s.m, 48);	/* length of what is protected */
	put32(s.m, 99);
	put_handle(s.m, 1, 5);
	put64(s.m, 0);
	put32(s.m, 4096);
	put_opaque(s.m, NULL, 28);	/* checksum */
	rpc_end(s.m);
	send(&s, 0);
	gss_reply(s.m, 1);
	put32(s.m, 4096 + 104);
	put32(s.m, 99);
	put32(s.m, 0);
	put32(s.m, 1);
	put_zeros(s.m, 84);
	put32(s.m, 4096);
	put32(s.m, 1);
	put_opaque(s.m, NULL, 4096);
	put_opaque(s.m, NULL, 28);
	rpc_end(s.m);
	send(&s, 1);
	assert_int_equal(lan_op(s.l, WIRE_NFS3, READ).replies, 1);
	assert_int_equal(lan_op(s.l, WIRE_NFS3, READ).bytes, 4096);
	assert_int_equal(lan_op(s.l, WIRE_NFS3, READ).errors, 0);
	assert_int_equal(lan_health(s.l)->private_calls, 0);
	end(&s);
}

/* Encrypted: the procedure of version 3 is seen, the operations of version 4 are not; nothing is guessed. */
static void
test_krb5p(void **state)
{
	struct scene s = scene();

	(void)state;
	gss_call(s.m, 1, 3, WRITE, 0, 3);
	put_opaque(s.m, NULL, 5000);
	rpc_end(s.m);
	send(&s, 0);
	gss_reply(s.m, 1);
	put_opaque(s.m, NULL, 200);
	rpc_end(s.m);
	send(&s, 1);
	gss_call(s.m, 2, 4, COMPOUND, 0, 3);
	put_opaque(s.m, NULL, 300);
	rpc_end(s.m);
	send(&s, 0);
	gss_reply(s.m, 2);
	put_opaque(s.m, NULL, 9000);
	rpc_end(s.m);
	send(&s, 1);
	/* Its context is set up in a NULL call, which is not encrypted. */
	gss_call(s.m, 3, 4, 0, 1, 3);
	put_opaque(s.m, NULL, 600);
	rpc_end(s.m);
	send(&s, 0);
	assert_int_equal(lan_op(s.l, WIRE_NFS3, WRITE).replies, 1);
	assert_true(lan_op(s.l, WIRE_NFS3, WRITE).sealed);
	assert_int_equal(lan_op(s.l, WIRE_NFS3, WRITE).errors, 0);
	assert_true(lan_op(s.l, WIRE_NFS4, PRIVATE).sealed);
	assert_false(lan_op(s.l, WIRE_NFS4, COMPOUND).sealed);
	assert_false(lan_op(s.l, WIRE_NFS4, 0).sealed);
	assert_int_equal(lan_op(s.l, WIRE_NFS4, COMPOUND).replies, 1);
	assert_int_equal(lan_op(s.l, WIRE_NFS4, PRIVATE).replies, 1);
	assert_int_equal(lan_op(s.l, WIRE_NFS4, 0).calls, 1);
	assert_int_equal(lan_health(s.l)->private_calls, 2);
	assert_int_equal(lan_health(s.l)->malformed, 0);
	end(&s);
}

/* RFC 9289: a NULL call with flavour 7, a verifier that says STARTTLS, then nothing that can be read. */
static void
test_tls(void **state)
{
	static const uint8_t hello[40] = { 0x16, 0x03, 0x01, 0x02, 0x00, 0x01 };
	struct scene s = scene();

	(void)state;
	rpc_call(s.m, 1, 100003, 4, 0);
	s.m->n -= 40;	/* instead of AUTH_SYS */
	put32(s.m, 7);
	put32(s.m, 0);
	put64(s.m, 0);
	rpc_end(s.m);
	send(&s, 0);
	rpc_reply(s.m, 1);
	s.m->n -= 12;
	put32(s.m, 0);
	put_opaque(s.m, "STARTTLS", 8);
	put32(s.m, 0);
	rpc_end(s.m);
	send(&s, 1);
	for (int i = 0; i < 50; i++)
		tcp_put(&s.t, (unsigned)i & 1, hello, sizeof(hello));
	assert_int_equal(lan_health(s.l)->tls_connections, 1);
	assert_int_equal(lan_health(s.l)->malformed + lan_health(s.l)->gaps, 0);
	assert_int_equal(lan_op(s.l, WIRE_NFS4, 0).replies, 1);
	assert_int_equal(lan_calls(s.l, WIRE_NFS4), 1);
	end(&s);
}

static void
test_xid_reuse(void **state)
{
	struct scene s = scene();

	(void)state;
	nfs3_read(s.m, 5, 100);
	send(&s, 0);
	nfs3_read_ok(s.m, 5, 100);
	send(&s, 1);
	/* Answered, so it may be used again; this one is not. */
	nfs3_write(s.m, 5, 200);
	send(&s, 0);
	/* Another request under the same number: the last one will not be answered. */
	nfs3_getattr(s.m, 5);
	send(&s, 0);
	nfs3_status(s.m, 5, 0);
	send(&s, 1);
	assert_int_equal(lan_op(s.l, WIRE_NFS3, READ).replies, 1);
	assert_int_equal(lan_op(s.l, WIRE_NFS3, WRITE).replies, 0);
	assert_int_equal(lan_op(s.l, WIRE_NFS3, WRITE).unanswered, 1);
	assert_int_equal(lan_op(s.l, WIRE_NFS3, WRITE).in_flight, 0);
	assert_int_equal(lan_op(s.l, WIRE_NFS3, GETATTR).replies, 1);
	assert_int_equal(lan_health(s.l)->retransmitted, 0);
	/* A second client uses the same numbers. */
	s.t.host[0] = 3;
	s.t.seq[0] = s.t.seq[1] = 1;
	tcp_open(&s.t);
	nfs3_read(s.m, 5, 100);
	send(&s, 0);
	assert_int_equal(lan_op(s.l, WIRE_NFS3, READ).calls, 2);
	assert_int_equal(lan_op(s.l, WIRE_NFS3, READ).in_flight, 1);
	assert_int_equal(lan_flows(s.l), 2);
	end(&s);
}

/* What was in flight when a connection broke is sent again on the next, from another port: one call, timed from its first sending. */
static void
test_reconnect(void **state)
{
	struct scene s = scene();
	struct wire_op op;

	(void)state;
	nfs3_read(s.m, 5, 100);
	send(&s, 0);
	tcp_at(&s.t, 1, s.t.seq[1], "", 0, 0x04);
	assert_int_equal(lan_op(s.l, WIRE_NFS3, READ).in_flight, 0);
	s.l->ns += 2000 * LAN_MS;
	s.t = tcp_new(s.l, 801, 2049);
	tcp_open(&s.t);
	send(&s, 0);
	assert_int_equal(lan_op(s.l, WIRE_NFS3, READ).in_flight, 1);
	nfs3_read_ok(s.m, 5, 100);
	send(&s, 1);
	op = lan_op(s.l, WIRE_NFS3, READ);
	assert_int_equal(op.calls, 1);
	assert_int_equal(op.retransmitted, 1);
	assert_int_equal(op.replies, 1);
	assert_int_equal(op.in_flight, 0);
	assert_true(op.hist->sum_ns >= 2000 * LAN_MS);
	assert_int_equal(lan_health(s.l)->unanswered, 0);
	end(&s);
}

/* Two connections of one client that are open at a time count from the same number: what looks the same is not the same request. */
static void
test_same_numbers_side_by_side(void **state)
{
	struct scene s = scene();
	struct tcp other = tcp_new(s.l, 801, 2049);
	struct wire_op op;

	(void)state;
	tcp_open(&other);
	nfs3_getattr(s.m, 1);
	send(&s, 0);
	s.l->ns += 5 * LAN_MS;
	tcp_put(&other, 0, s.m->b, s.m->n);
	assert_int_equal(lan_op(s.l, WIRE_NFS3, GETATTR).in_flight, 2);
	nfs3_status(s.m, 1, 0);
	send(&s, 1);
	tcp_put(&other, 1, s.m->b, s.m->n);
	op = lan_op(s.l, WIRE_NFS3, GETATTR);
	assert_int_equal(op.calls, 2);
	assert_int_equal(op.replies, 2);
	assert_int_equal(op.retransmitted, 0);
	assert_int_equal(lan_health(s.l)->orphan_replies, 0);
	end(&s);
}

/* What was in flight is sent again on a new connection while of the old one, whose network went, nothing was seen any more. */
static void
test_reconnect_in_silence(void **state)
{
	struct scene s = scene();
	struct wire_op op;

	(void)state;
	nfs3_read(s.m, 5, 100);
	send(&s, 0);
	s.l->ns += 2000 * LAN_MS;
	s.t = tcp_new(s.l, 801, 2049);
	tcp_open(&s.t);
	send(&s, 0);
	op = lan_op(s.l, WIRE_NFS3, READ);
	assert_int_equal(op.calls, 1);
	assert_int_equal(op.retransmitted, 1);
	assert_int_equal(op.in_flight, 1);
	end(&s);
}

/* Who ends a connection does not answer any more: a server that was killed, whose connections the kernel closes. */
static void
test_closed(void **state)
{
	struct scene s = scene();
	struct wire_op op;

	(void)state;
	nfs3_read(s.m, 5, 100);
	send(&s, 0);
	nfs3_getattr(s.m, 6);
	send(&s, 0);
	/* The client's own end is none of the server's answers. */
	tcp_at(&s.t, 0, s.t.seq[0]++, "", 0, 0x11);
	assert_int_equal(lan_op(s.l, WIRE_NFS3, READ).in_flight, 1);
	nfs3_status(s.m, 6, 0);
	send(&s, 1);
	tcp_at(&s.t, 1, s.t.seq[1]++, "", 0, 0x11);
	op = lan_op(s.l, WIRE_NFS3, READ);
	assert_int_equal(op.in_flight, 0);
	assert_int_equal(lan_op(s.l, WIRE_NFS3, GETATTR).replies, 1);
	assert_int_equal(lan_op(s.l, WIRE_NFS3, GETATTR).in_flight, 0);
	/* Nor is it answered: that is said when nobody can send it again any more. */
	wire_decoder_tick(s.l->d, s.l->ns + WIRE_EXPIRE_NS + LAN_MS);
	assert_int_equal(lan_op(s.l, WIRE_NFS3, READ).unanswered, 1);
	end(&s);
}

/* Found by fuzzing: a reply is lost in the middle of the very segment that it began in; it does not end before it began. */
static void
test_lost_in_its_first_segment(void **state)
{
	struct scene s = scene();
	struct wire_op op;

	(void)state;
	nfs3_read(s.m, 1, 2000);
	send(&s, 0);
	s.l->ns += 2 * LAN_MS - LAN_US;
	/* A fragment of 1500 bytes that is not the last, enough to be read; behind it a mark that cannot be. */
	nfs3_read_ok(s.m, 1, 2000);
	memcpy(s.m->b, "\0\0\x05\xdc", 4);
	memset(s.m->b + 4 + 1500, 0x7f, 4);
	send(&s, 1);
	op = lan_op(s.l, WIRE_NFS3, READ);
	assert_int_equal(op.replies, 1);
	assert_int_equal(op.hist->sum_ns, 2 * LAN_MS);
	assert_int_equal(op.last_sum_ns, 2 * LAN_MS);
	end(&s);
}

static void
test_datagrams(void **state)
{
	struct lan *l = lan_new(DLT_EN10MB);
	struct msg *m = xcalloc(1, sizeof(*m)), *reply = xcalloc(1, sizeof(*m));
	struct wire_op op;

	(void)state;
	nfs3_status(reply, 1, 0);
	udp_put(l, 1, 700, 2049, reply->b + 4, reply->n - 4);	/* its call was not captured */
	nfs3_getattr(m, 2);
	nfs3_status(reply, 2, 70);
	udp_put(l, 0, 700, 2049, m->b + 4, m->n - 4);
	l->ns += 1100 * LAN_MS;
	udp_put(l, 0, 700, 2049, m->b + 4, m->n - 4);
	udp_put(l, 1, 700, 2049, reply->b + 4, reply->n - 4);
	udp_put(l, 1, 700, 2049, reply->b + 4, reply->n - 4);	/* to the second */
	l->ns += 1100 * LAN_MS;
	udp_put(l, 0, 700, 2049, m->b + 4, m->n - 4);		/* the reply got lost */
	udp_put(l, 1, 700, 2049, reply->b + 4, reply->n - 4);
	nfs3_getattr(m, 3);
	udp_put(l, 0, 700, 2049, m->b + 4, m->n - 4);
	wire_decoder_finish(l->d);
	op = lan_op(l, WIRE_NFS3, GETATTR);
	assert_int_equal(op.calls, 2);
	assert_int_equal(op.replies, 1);
	assert_int_equal(op.errors, 1);
	assert_int_equal(op.retransmitted, 2);
	assert_int_equal(op.unanswered, 1);
	assert_int_equal(lan_health(l)->orphan_replies, 1);
	assert_int_equal(lan_flow(l, 0).errors[0].code, 70);
	free(m);
	free(reply);
	lan_free(l);
}

static void
test_denied_and_expired(void **state)
{
	struct scene s = scene();
	struct wire_op op;

	(void)state;
	nfs3_getattr(s.m, 1);
	send(&s, 0);
	rpc_reply(s.m, 1);
	s.m->b[15] = 1;	/* denied: authentication, too weak */
	s.m->b[19] = 1;
	s.m->b[23] = 5;
	s.m->n = 24;
	rpc_end(s.m);
	send(&s, 1);
	nfs3_getattr(s.m, 2);
	send(&s, 0);
	op = lan_op(s.l, WIRE_NFS3, GETATTR);
	assert_int_equal(op.replies, 1);
	assert_int_equal(op.errors, 1);
	assert_int_equal(op.in_flight, 1);
	wire_decoder_tick(s.l->d, s.l->ns + WIRE_EXPIRE_NS - LAN_MS);
	assert_int_equal(lan_op(s.l, WIRE_NFS3, GETATTR).in_flight, 1);
	wire_decoder_tick(s.l->d, s.l->ns + WIRE_EXPIRE_NS + LAN_MS);
	op = lan_op(s.l, WIRE_NFS3, GETATTR);
	assert_int_equal(op.unanswered, 1);
	assert_int_equal(op.in_flight, 0);
	end(&s);
}

/* A compound's head: RPC call, no tag, minor version, number of operations. */
static void
compound(struct msg *m, uint32_t xid, uint32_t minor, uint32_t n)
{
	rpc_call(m, xid, 100003, 4, COMPOUND);
	put32(m, 0);
	put32(m, minor);
	put32(m, n);
}

static void
compound_reply(struct msg *m, uint32_t xid, uint32_t status, uint32_t n)
{
	rpc_reply(m, xid);
	put32(m, status);
	put32(m, 0);
	put32(m, n);
}

static void
put_result(struct msg *m, uint32_t op, uint32_t status)
{
	put32(m, op);
	put32(m, status);
}

static void
put_sequence(struct msg *m)
{
	put32(m, 53);
	put_zeros(m, 32);
}

static void
put_sequence_ok(struct msg *m)
{
	put_result(m, 53, 0);
	put_zeros(m, 36);
}

static void
put_putfh(struct msg *m)
{
	put32(m, 22);
	put_handle(m, 1, 5);
}

/* SEQUENCE PUTFH OPEN READ GETATTR: all must be understood to find the READ. */
static void
test_compound(void **state)
{
	struct scene s = scene();
	struct wire_op op;

	(void)state;
	compound(s.m, 1, 1, 5);
	put_sequence(s.m);
	put_putfh(s.m);
	put32(s.m, 18);	/* OPEN: seqid, access, deny, owner, no create, claim by handle */
	put_zeros(s.m, 12 + 8);
	put_string(s.m, "owner");
	put32(s.m, 0);
	put32(s.m, 4);
	put32(s.m, V4_READ);
	put_zeros(s.m, 24);
	put32(s.m, 3000);
	put32(s.m, 9);	/* GETATTR of two words */
	put32(s.m, 2);
	put64(s.m, 0);
	rpc_end(s.m);
	send(&s, 0);
	compound_reply(s.m, 1, 0, 5);
	put_sequence_ok(s.m);
	put_result(s.m, 22, 0);
	put_result(s.m, 18, 0);
	put_zeros(s.m, 16 + 20 + 4);	/* stateid, change, flags */
	put32(s.m, 1);
	put32(s.m, 0);
	put32(s.m, 0);	/* no delegation */
	put_result(s.m, V4_READ, 0);
	put32(s.m, 1);
	put_opaque(s.m, NULL, 2999);
	put_result(s.m, 9, 0);
	put32(s.m, 0);
	put32(s.m, 0);
	rpc_end(s.m);
	send(&s, 1);
	op = lan_op(s.l, WIRE_NFS41, V4_READ);
	assert_int_equal(op.calls, 1);
	assert_int_equal(op.replies, 1);
	assert_int_equal(op.bytes, 2999);
	assert_int_equal(lan_op(s.l, WIRE_NFS41, COMPOUND).replies, 1);
	assert_int_equal(lan_op(s.l, WIRE_NFS41, COMPOUND).bytes, 0);
	assert_int_equal(lan_op(s.l, WIRE_NFS41, 9).replies, 1);
	assert_int_equal(lan_calls(s.l, WIRE_NFS41), 6);
	assert_int_equal(lan_health(s.l)->malformed + lan_health(s.l)->truncated, 0);
	end(&s);
}

/* The second of three operations fails: the third was not done, and has no time. */
static void
test_compound_fails(void **state)
{
	struct scene s = scene();

	(void)state;
	compound(s.m, 1, 0, 3);
	put_putfh(s.m);
	put32(s.m, V4_WRITE);
	put_zeros(s.m, 28);
	put_opaque(s.m, NULL, 100);
	put32(s.m, 5);	/* COMMIT */
	put_zeros(s.m, 12);
	rpc_end(s.m);
	send(&s, 0);
	compound_reply(s.m, 1, 28, 2);
	put_result(s.m, 22, 0);
	put_result(s.m, V4_WRITE, 28);
	rpc_end(s.m);
	send(&s, 1);
	assert_int_equal(lan_op(s.l, WIRE_NFS40, V4_WRITE).errors, 1);
	assert_int_equal(lan_op(s.l, WIRE_NFS40, V4_WRITE).bytes, 0);
	assert_int_equal(lan_op(s.l, WIRE_NFS40, COMPOUND).errors, 1);
	assert_int_equal(lan_op(s.l, WIRE_NFS40, 22).errors, 0);
	assert_int_equal(lan_op(s.l, WIRE_NFS40, 5).errors, 0);
	assert_null(lan_op(s.l, WIRE_NFS40, 5).hist);
	assert_int_equal(lan_op(s.l, WIRE_NFS40, 5).in_flight, 0);
	end(&s);
}

/* RFC 7862: data, a hole of a megabyte, data. What came over the wire is the data. */
static void
test_read_plus(void **state)
{
	struct scene s = scene();

	(void)state;
	compound(s.m, 1, 2, 3);
	put_sequence(s.m);
	put_putfh(s.m);
	put32(s.m, 68);
	put_zeros(s.m, 24);
	put32(s.m, 1 << 21);
	rpc_end(s.m);
	send(&s, 0);
	compound_reply(s.m, 1, 0, 3);
	put_sequence_ok(s.m);
	put_result(s.m, 22, 0);
	put_result(s.m, 68, 0);
	put32(s.m, 1);
	put32(s.m, 3);
	put32(s.m, 0);
	put64(s.m, 0);
	put_opaque(s.m, NULL, 100);
	put32(s.m, 1);
	put64(s.m, 100);
	put64(s.m, 1 << 20);
	put32(s.m, 0);
	put64(s.m, 0);
	put_opaque(s.m, NULL, 201);
	rpc_end(s.m);
	send(&s, 1);
	assert_int_equal(lan_op(s.l, WIRE_NFS42, 68).replies, 1);
	assert_int_equal(lan_op(s.l, WIRE_NFS42, 68).bytes, 301);
	end(&s);
}

/* The server calls back on the client's connection, under a number that the client uses too. */
static void
test_backchannel(void **state)
{
	struct scene s = scene();

	(void)state;
	nfs3_read(s.m, 1, 100);
	send(&s, 0);
	rpc_call(s.m, 1, 0x40000000, 1, 1);
	rpc_end(s.m);
	send(&s, 1);
	rpc_reply(s.m, 1);
	rpc_end(s.m);
	send(&s, 0);
	nfs3_read_ok(s.m, 1, 100);
	send(&s, 1);
	assert_int_equal(lan_op(s.l, WIRE_NFS3, READ).replies, 1);
	assert_int_equal(lan_health(s.l)->orphan_replies, 0);
	assert_int_equal(lan_flows(s.l), 1);
	end(&s);
}

static void
mount(struct scene *s, const char *path, unsigned fs)
{
	rpc_call(s->m, 77, 100005, 3, 1);
	put_string(s->m, path);
	udp_put(s->l, 0, 900, 20048, s->m->b + 4, s->m->n - 4);
	rpc_reply(s->m, 77);
	put32(s->m, 0);
	put_handle(s->m, fs, 2);
	put32(s->m, 1);
	put32(s->m, 1);
	udp_put(s->l, 1, 900, 20048, s->m->b + 4, s->m->n - 4);
}

static void
test_mount_names(void **state)
{
	struct scene s = scene();

	(void)state;
	nfs3_read(s.m, 1, 100);	/* before its name is known */
	send(&s, 0);
	rpc_call(s.m, 2, 100003, 3, GETATTR);
	put_handle(s.m, 2, 9);
	rpc_end(s.m);
	send(&s, 0);
	mount(&s, "/srv/vm", 1);
	mount(&s, "/srv/home", 2);
	assert_int_equal(lan_flows(s.l), 2);
	assert_string_equal(lan_flow(s.l, 0).name, "/srv/vm");
	assert_int_equal(lan_flow(s.l, 0).ops[0].op, READ);
	assert_string_equal(lan_flow(s.l, 1).name, "/srv/home");
	end(&s);
}

/* PUTROOTFH GETFH names the root; PUTFH(root) LOOKUP vm GETFH what lies below it on a file system of its own. */
static void
test_v4_names(void **state)
{
	struct scene s = scene();

	(void)state;
	compound(s.m, 1, 0, 2);
	put32(s.m, 24);
	put32(s.m, 10);
	rpc_end(s.m);
	send(&s, 0);
	compound_reply(s.m, 1, 0, 2);
	put_result(s.m, 24, 0);
	put_result(s.m, 10, 0);
	put_handle(s.m, 100, 1);
	rpc_end(s.m);
	send(&s, 1);
	compound(s.m, 2, 0, 4);
	put32(s.m, 22);
	put_handle(s.m, 100, 1);
	put32(s.m, 15);
	put_string(s.m, "srv");
	put32(s.m, 15);
	put_string(s.m, "vm");
	put32(s.m, 10);
	rpc_end(s.m);
	send(&s, 0);
	compound_reply(s.m, 2, 0, 4);
	put_result(s.m, 22, 0);
	put_result(s.m, 15, 0);
	put_result(s.m, 15, 0);
	put_result(s.m, 10, 0);
	put_handle(s.m, 1, 2);
	rpc_end(s.m);
	send(&s, 1);
	compound(s.m, 3, 0, 2);
	put_putfh(s.m);
	put32(s.m, V4_READ);
	put_zeros(s.m, 28);
	rpc_end(s.m);
	send(&s, 0);
	/* Without a handle, below the root, below the export. */
	assert_int_equal(lan_flows(s.l), 3);
	assert_string_equal(lan_flow(s.l, 1).name, "/");
	assert_string_equal(lan_flow(s.l, 2).name, "/srv/vm");
	assert_int_equal(lan_op(s.l, WIRE_NFS40, V4_READ).calls, 1);
	end(&s);
}

/* Portmap tells of an odd port; a reply that comes from there is known as one. */
static void
test_portmap(void **state)
{
	struct scene s = scene();

	(void)state;
	rpc_call(s.m, 7, 100000, 2, 3);
	put32(s.m, 100003);
	put32(s.m, 3);
	put32(s.m, 6);
	put32(s.m, 0);
	udp_put(s.l, 0, 900, 111, s.m->b + 4, s.m->n - 4);
	rpc_reply(s.m, 7);
	put32(s.m, 4321);
	udp_put(s.l, 1, 900, 111, s.m->b + 4, s.m->n - 4);
	nfs3_status(s.m, 8, 0);
	udp_put(s.l, 1, 901, 4321, s.m->b + 4, s.m->n - 4);
	udp_put(s.l, 1, 901, 4322, s.m->b + 4, s.m->n - 4);
	assert_int_equal(lan_health(s.l)->orphan_replies, 1);
	/* rpcbind's newer versions say it in text: 0x10 x 256 + 0xe1. */
	rpc_call(s.m, 9, 100000, 4, 3);
	put32(s.m, 100003);
	udp_put(s.l, 0, 900, 111, s.m->b + 4, s.m->n - 4);
	rpc_reply(s.m, 9);
	put_string(s.m, "10.0.0.2.16.226");
	udp_put(s.l, 1, 900, 111, s.m->b + 4, s.m->n - 4);
	nfs3_status(s.m, 10, 0);
	udp_put(s.l, 1, 902, 4322, s.m->b + 4, s.m->n - 4);
	assert_int_equal(lan_health(s.l)->orphan_replies, 2);
	end(&s);
}

/* A client of NFS at a port that is iSCSI's where servers are: the server's port says what it is. */
static void
test_client_at_iscsi_port(void **state)
{
	struct scene s = scene();

	(void)state;
	s.t = tcp_new(s.l, 860, 2049);
	nfs3_status(s.m, 8, 0);
	send(&s, 1);
	assert_int_equal(lan_health(s.l)->orphan_replies, 1);
	udp_put(s.l, 1, 860, 2049, s.m->b + 4, s.m->n - 4);
	assert_int_equal(lan_health(s.l)->orphan_replies, 2);
	/* At iSCSI's own it is nothing. */
	udp_put(s.l, 1, 861, 3260, s.m->b + 4, s.m->n - 4);
	assert_int_equal(lan_health(s.l)->orphan_replies, 2);
	end(&s);
}

/* Any port will do, and what merely looks like half of a call does not. */
static void
test_odd_port(void **state)
{
	struct scene s = scene();
	struct tcp t = tcp_new(s.l, 900, 7777);

	(void)state;
	tcp_open(&t);
	nfs3_read(s.m, 1, 100);
	tcp_put(&t, 0, s.m->b, s.m->n);
	nfs3_read_ok(s.m, 1, 100);
	tcp_put(&t, 1, s.m->b, s.m->n);
	assert_int_equal(lan_op(s.l, WIRE_NFS3, READ).replies, 1);
	assert_int_equal(lan_flow(s.l, 0).server_port, 7777);
	t = tcp_new(s.l, 901, 7778);
	tcp_open(&t);
	nfs3_read(s.m, 1, 100);
	s.m->b[15] = 3;	/* RPC version 3 */
	tcp_put(&t, 0, s.m->b, s.m->n);
	assert_int_equal(lan_calls(s.l, WIRE_NFS3), 1);
	end(&s);
}

static void
crowd_call(struct lan *l, struct msg *m, unsigned i, uint32_t xid)
{
	rpc_call(m, xid, 100003, 3, GETATTR);
	put_handle(m, i, 1);
	udp_put(l, 0, 700, 2049, m->b + 4, m->n - 4);
	nfs3_status(m, xid, 0);
	udp_put(l, 1, 700, 2049, m->b + 4, m->n - 4);
}

/* More clients than there is room for: the sum stays right. */
static void
test_crowd(void **state)
{
	struct lan *l = lan_new(DLT_EN10MB);
	struct msg *m = xcalloc(1, sizeof(*m));
	const unsigned n = WIRE_FLOWS + 500;

	(void)state;
	for (unsigned i = 0; i < n; i++)
		crowd_call(l, m, i, i + 1);
	assert_int_equal(lan_op(l, WIRE_NFS3, GETATTR).calls, n);
	assert_int_equal(lan_op(l, WIRE_NFS3, GETATTR).replies, n);
	assert_int_equal(lan_flows(l), WIRE_FLOWS + 1);
	assert_int_equal(lan_health(l)->crowded, 500);
	/* Those that were shown and are idle make room; who was counted among the others gets a place of its own. */
	wire_decoder_tick(l->d, l->ns + WIRE_CROWD_IDLE_NS);
	assert_int_equal(lan_flows(l), 1);
	crowd_call(l, m, n - 1, n + 1);
	assert_int_equal(lan_flows(l), 2);
	assert_int_equal(lan_health(l)->crowded, 500);
	assert_int_equal(lan_op(l, WIRE_NFS3, GETATTR).calls, n + 1 - WIRE_FLOWS);
	/* Where there is room they stay longer; "others" stays, so that its counters only grow. */
	wire_decoder_tick(l->d, l->ns + WIRE_CROWD_IDLE_NS);
	assert_int_equal(lan_flows(l), 2);
	wire_decoder_tick(l->d, l->ns + WIRE_IDLE_NS);
	assert_int_equal(lan_flows(l), 1);
	assert_true(lan_flow(l, 0).others);
	free(m);
	lan_free(l);
}

/* A datagram's call is remembered longer than its flow where there is no room: sent again after that it is nobody's, or another's. */
static void
test_crowd_is_asked_again(void **state)
{
	struct lan *l = lan_new(DLT_EN10MB);
	struct msg *m = xcalloc(1, sizeof(*m));

	(void)state;
	for (unsigned i = 0; i <= WIRE_FLOWS; i++)
		crowd_call(l, m, i, i + 1);
	assert_int_equal(lan_flows(l), WIRE_FLOWS + 1);
	wire_decoder_tick(l->d, l->ns + WIRE_CROWD_IDLE_NS);
	assert_int_equal(lan_flows(l), 1);
	l->ns += WIRE_CROWD_IDLE_NS;
	crowd_call(l, m, 1, 1);
	assert_int_equal(lan_health(l)->retransmitted, 1);
	/* In the place of the last one that went is another export now. */
	crowd_call(l, m, 5000, WIRE_FLOWS + 2);
	assert_int_equal(lan_flows(l), 2);
	for (unsigned i = 0; i < WIRE_FLOWS; i++)
		crowd_call(l, m, i, i + 1);
	assert_int_equal(lan_op(l, WIRE_NFS3, GETATTR).retransmitted, 0);
	free(m);
	lan_free(l);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fragments),
		cmocka_unit_test(test_krb5i),
		cmocka_unit_test(test_krb5p),
		cmocka_unit_test(test_tls),
		cmocka_unit_test(test_xid_reuse),
		cmocka_unit_test(test_reconnect),
		cmocka_unit_test(test_same_numbers_side_by_side),
		cmocka_unit_test(test_reconnect_in_silence),
		cmocka_unit_test(test_closed),
		cmocka_unit_test(test_lost_in_its_first_segment),
		cmocka_unit_test(test_datagrams),
		cmocka_unit_test(test_denied_and_expired),
		cmocka_unit_test(test_compound),
		cmocka_unit_test(test_compound_fails),
		cmocka_unit_test(test_read_plus),
		cmocka_unit_test(test_backchannel),
		cmocka_unit_test(test_mount_names),
		cmocka_unit_test(test_v4_names),
		cmocka_unit_test(test_portmap),
		cmocka_unit_test(test_client_at_iscsi_port),
		cmocka_unit_test(test_odd_port),
		cmocka_unit_test(test_crowd),
		cmocka_unit_test(test_crowd_is_asked_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

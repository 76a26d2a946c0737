/*
 * TCP streams as captures have them: cut anywhere, out of order, repeated, with holes, joined in the middle.
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
#include "probes/wire/decoder.h"

#define READ 6
#define GETATTR 1

static struct lan *
lan(void)
{
	return lan_new(DLT_EN10MB);
}

/* Both directions of ten reads of 100 bytes, and how long each is. */
struct run {
	struct msg calls, replies;
};

static struct run *
ten_reads(void)
{
	struct run *r = xcalloc(1, sizeof(*r));
	struct msg *m = xcalloc(1, sizeof(*m));

	for (uint32_t xid = 1; xid <= 10; xid++) {
		nfs3_read(m, xid, 100);
		put_bytes(&r->calls, m->b, m->n);
		nfs3_read_ok(m, xid, 100);
		put_bytes(&r->replies, m->b, m->n);
	}
	free(m);
	return r;
}

static void
expect_ten(struct lan *l)
{
	struct wire_op op = lan_op(l, WIRE_NFS3, READ);

	assert_int_equal(op.calls, 10);
	assert_int_equal(op.replies, 10);
	assert_int_equal(op.bytes, 1000);
	assert_int_equal(op.in_flight, 0);
	assert_int_equal(lan_health(l)->malformed, 0);
	assert_int_equal(lan_health(l)->truncated, 0);
}

static void
put_in_pieces(struct tcp *t, unsigned side, const struct msg *m, size_t piece)
{
	for (size_t at = 0; at < m->n; at += piece)
		tcp_put(t, side, m->b + at, m->n - at < piece ? m->n - at : piece);
}

/* Wherever segments end: in a mark, in a header, between records. */
static void
test_any_segmentation(void **state)
{
	struct run *r = ten_reads();

	(void)state;
	for (size_t piece = 1; piece <= r->calls.n; piece = piece < 200 ? piece + 1 : piece * 2) {
		struct lan *l = lan();
		struct tcp t = tcp_new(l, 700, 2049);

		tcp_open(&t);
		put_in_pieces(&t, 0, &r->calls, piece);
		put_in_pieces(&t, 1, &r->replies, piece);
		expect_ten(l);
		assert_int_equal(lan_health(l)->gaps, 0);
		lan_free(l);
	}
	free(r);
}

/* The last byte of the request is in its second segment, the first of the reply in its first. */
static void
test_times(void **state)
{
	struct lan *l = lan();
	struct tcp t = tcp_new(l, 700, 2049);
	struct msg *m = xcalloc(1, sizeof(*m));
	struct wire_op op;

	(void)state;
	tcp_open(&t);
	nfs3_write(m, 1, 4000);
	tcp_put(&t, 0, m->b, 2000);
	l->ns += 7 * LAN_MS;
	tcp_put(&t, 0, m->b + 2000, m->n - 2000);
	l->ns += 3 * LAN_MS - LAN_US;
	nfs3_write_ok(m, 1, 4000);
	tcp_put(&t, 1, m->b, 40);
	l->ns += 2 * LAN_MS - LAN_US;
	tcp_put(&t, 1, m->b + 40, m->n - 40);
	op = lan_op(l, WIRE_NFS3, 7);
	assert_int_equal(op.calls, 1);
	assert_int_equal(op.bytes, 4000);
	assert_int_equal(op.hist->sum_ns, 3 * LAN_MS);
	assert_int_equal(op.last_sum_ns, 5 * LAN_MS);
	free(m);
	lan_free(l);
}

static void
test_reordered(void **state)
{
	struct run *r = ten_reads();
	struct lan *l = lan();
	struct tcp t = tcp_new(l, 700, 2049);

	(void)state;
	tcp_open(&t);
	tcp_put(&t, 0, r->calls.b, r->calls.n);
	/* Pairs of pieces change places; none ends where a record does. */
	for (size_t at = 0; at < r->replies.n; at += 300) {
		size_t left = r->replies.n - at, n = left < 300 ? left : 300, first = n < 150 ? n : 150;

		if (n > first)
			tcp_at(&t, 1, t.seq[1] + (uint32_t)first, r->replies.b + at + first, n - first, 0x18);
		tcp_at(&t, 1, t.seq[1], r->replies.b + at, first, 0x18);
		t.seq[1] += (uint32_t)n;
	}
	expect_ten(l);
	wire_decoder_finish(l->d);
	assert_int_equal(lan_health(l)->gaps, 0);
	lan_free(l);
	free(r);
}

/* Captures of several queues are not in the order of their own clock: a packet may be older than the one before it. */
static void
test_clock_goes_back(void **state)
{
	struct run *r = ten_reads();
	struct lan *l = lan();
	struct tcp t = tcp_new(l, 700, 2049);
	const size_t n = r->replies.n / 10;

	(void)state;
	tcp_open(&t);
	t.silent_acks = true;
	tcp_put(&t, 0, r->calls.b, r->calls.n);
	tcp_put(&t, 1, r->replies.b, n);
	/* The second reply comes last; of those before it the third is the youngest. */
	tcp_at(&t, 1, t.seq[1] + (uint32_t)n, r->replies.b + 2 * n, n, 0x18);
	l->ns -= 10 * LAN_US;
	tcp_at(&t, 1, t.seq[1] + 2 * (uint32_t)n, r->replies.b + 3 * n, 7 * n, 0x18);
	tcp_at(&t, 1, t.seq[1], r->replies.b + n, n, 0x18);
	tcp_at(&t, 1, t.seq[1], r->replies.b + n, n, 0x18);
	expect_ten(l);
	assert_int_equal(lan_health(l)->gaps, 0);
	assert_int_equal(lan_health(l)->resyncs, 0);
	free(r);
	lan_free(l);
}

static void
test_retransmitted(void **state)
{
	struct run *r = ten_reads();
	struct lan *l = lan();
	struct tcp t = tcp_new(l, 700, 2049);

	(void)state;
	tcp_open(&t);
	tcp_put(&t, 0, r->calls.b, r->calls.n);
	l->ns += 300 * LAN_MS;
	tcp_at(&t, 0, t.seq[0] - (uint32_t)r->calls.n, r->calls.b, r->calls.n, 0x18);
	/* An overlap: half of it is new. */
	tcp_put(&t, 1, r->replies.b, 200);
	tcp_at(&t, 1, t.seq[1] - 100, r->replies.b + 100, r->replies.n - 100, 0x18);
	expect_ten(l);
	assert_int_equal(lan_health(l)->retransmitted, 1);
	/* The same frame twice at once was captured twice. */
	t.seq[1] += (uint32_t)r->replies.n - 200;
	nfs3_getattr(&r->calls, 77);
	tcp_put(&t, 0, r->calls.b, r->calls.n);
	tcp_at(&t, 0, t.seq[0] - (uint32_t)r->calls.n, r->calls.b, r->calls.n, 0x18);
	assert_int_equal(lan_health(l)->retransmitted, 1);
	assert_int_equal(lan_health(l)->duplicates, 1);
	assert_int_equal(lan_op(l, WIRE_NFS3, GETATTR).calls, 1);
	/* A keepalive is neither. */
	tcp_at(&t, 0, t.seq[0] - 1, "", 1, 0x10);
	assert_int_equal(lan_health(l)->retransmitted, 1);
	lan_free(l);
	free(r);
}

/* A hole in the middle of a body costs nothing but a gap. */
static void
test_hole_in_body(void **state)
{
	struct lan *l = lan();
	struct tcp t = tcp_new(l, 700, 2049);
	struct msg *m = xcalloc(1, sizeof(*m));

	(void)state;
	tcp_open(&t);
	for (uint32_t xid = 1; xid <= 3; xid++) {
		nfs3_read(m, xid, 20000);
		tcp_put(&t, 0, m->b, m->n);
		nfs3_read_ok(m, xid, 20000);
		tcp_put(&t, 1, m->b, 4000);
		tcp_miss(&t, 1, 8000);
		tcp_put(&t, 1, m->b + 12000, m->n - 12000);
	}
	assert_int_equal(lan_op(l, WIRE_NFS3, READ).replies, 3);
	assert_int_equal(lan_op(l, WIRE_NFS3, READ).bytes, 60000);
	wire_decoder_finish(l->d);
	assert_int_equal(lan_health(l)->gaps, 3);
	assert_int_equal(lan_health(l)->resyncs, 0);
	free(m);
	lan_free(l);
}

/* What is missing is said when it cannot come any more, not with the next that is missing. */
static void
test_hole_is_told_of(void **state)
{
	struct lan *l = lan();
	struct tcp t = tcp_new(l, 700, 2049);
	struct msg *m = xcalloc(1, sizeof(*m));

	(void)state;
	tcp_open(&t);
	nfs3_write(m, 1, 4000);
	tcp_put(&t, 0, m->b, 1100);
	tcp_miss(&t, 0, 1000);
	tcp_put(&t, 0, m->b + 2100, m->n - 2100);
	assert_int_equal(lan_health(l)->gaps, 0);
	l->ns += 1001 * LAN_MS;
	nfs3_getattr(m, 2);
	tcp_put(&t, 0, m->b, m->n);
	assert_int_equal(lan_health(l)->gaps, 1);
	/* Once. */
	l->ns += 1001 * LAN_MS;
	nfs3_getattr(m, 3);
	tcp_put(&t, 0, m->b, m->n);
	assert_int_equal(lan_health(l)->gaps, 1);
	wire_decoder_finish(l->d);
	assert_int_equal(lan_health(l)->gaps, 1);
	free(m);
	lan_free(l);
}

/* The end of a body is missing: the next message begins behind the hole, and is known to, once its receiver says it has it all. */
static void
test_hole_at_end(void **state)
{
	struct lan *l = lan();
	struct tcp t = tcp_new(l, 700, 2049);
	struct msg *m = xcalloc(1, sizeof(*m));
	struct wire_op op;

	(void)state;
	tcp_open(&t);
	for (uint32_t xid = 1; xid <= 3; xid++) {
		nfs3_read(m, xid, 20000);
		tcp_put(&t, 0, m->b, m->n);
		l->ns += LAN_MS - LAN_US;
		nfs3_read_ok(m, xid, 20000);
		tcp_put(&t, 1, m->b, 4000);
		tcp_miss(&t, 1, m->n - 4000);
	}
	tcp_ack(&t, 0);
	wire_decoder_finish(l->d);
	op = lan_op(l, WIRE_NFS3, READ);
	assert_int_equal(op.replies, 3);
	assert_int_equal(op.bytes, 60000);
	assert_int_equal(op.unanswered, 0);
	assert_int_equal(op.hist->sum_ns, 3 * LAN_MS);
	assert_int_equal(op.last_sum_ns, 3 * LAN_MS);
	/* The last one is not known to be a hole: nothing came behind it. */
	assert_int_equal(lan_health(l)->gaps, 2);
	assert_int_equal(lan_health(l)->resyncs, 0);
	free(m);
	lan_free(l);
}

/* A hole that hides the beginning of a message: that one is lost, the next ones are found, in the middle of a segment too. */
static void
test_resynchronise(void **state)
{
	struct run *r = ten_reads();
	size_t reply = r->replies.n / 10, call = r->calls.n / 10;
	struct lan *l = lan();
	struct tcp t = tcp_new(l, 700, 2049);
	struct wire_op op;

	(void)state;
	tcp_open(&t);
	tcp_put(&t, 0, r->calls.b, 3 * call);
	tcp_miss(&t, 0, call + 60);	/* the fourth, and the beginning of the fifth */
	tcp_put(&t, 0, r->calls.b + 4 * call + 60, 6 * call - 60);
	tcp_put(&t, 1, r->replies.b, 5 * reply);
	tcp_miss(&t, 1, 10);		/* the mark of the sixth */
	tcp_put(&t, 1, r->replies.b + 5 * reply + 10, 5 * reply - 10);
	tcp_ack(&t, 0);
	wire_decoder_finish(l->d);
	op = lan_op(l, WIRE_NFS3, READ);
	assert_int_equal(op.calls, 8);
	assert_int_equal(op.replies, 7);
	assert_int_equal(op.unanswered, 1);
	assert_int_equal(lan_health(l)->gaps, 2);
	assert_int_equal(lan_health(l)->resyncs, 2);
	assert_int_equal(lan_health(l)->orphan_replies, 2);
	assert_int_equal(lan_health(l)->malformed, 0);
	lan_free(l);
	free(r);
}

static void
test_joined_in_the_middle(void **state)
{
	struct run *r = ten_reads();
	struct lan *l = lan();
	struct tcp t = tcp_new(l, 700, 2049);

	(void)state;
	tcp_put(&t, 1, r->replies.b + 50, r->replies.n - 50);	/* replies to what nobody saw: not even theirs is known */
	tcp_put(&t, 0, r->calls.b + 8, r->calls.n - 8);
	tcp_put(&t, 0, r->calls.b, r->calls.n);
	tcp_put(&t, 1, r->replies.b, r->replies.n);
	assert_int_equal(lan_op(l, WIRE_NFS3, READ).replies, 10);
	lan_free(l);
	free(r);
}

/* Cut to 256 bytes, whole messages of 64 KiB are stepped over by their length. */
static void
test_snaplen(void **state)
{
	struct lan *l = lan();
	struct tcp t = tcp_new(l, 700, 2049);
	struct msg *m = xcalloc(1, sizeof(*m));

	(void)state;
	l->snaplen = 256;
	tcp_open(&t);
	for (uint32_t xid = 1; xid <= 20; xid++) {
		nfs3_read(m, xid, 65536);
		tcp_put(&t, 0, m->b, m->n);
		nfs3_read_ok(m, xid, 65536);
		for (size_t at = 0; at < m->n; at += 30000)
			tcp_put(&t, 1, m->b + at, m->n - at < 30000 ? m->n - at : 30000);
		nfs3_write(m, 1000 + xid, 32768);
		tcp_put(&t, 0, m->b, m->n);
		nfs3_write_ok(m, 1000 + xid, 32768);
		tcp_put(&t, 1, m->b, m->n);
	}
	assert_int_equal(lan_op(l, WIRE_NFS3, READ).replies, 20);
	assert_int_equal(lan_op(l, WIRE_NFS3, READ).bytes, 20 * 65536);
	assert_int_equal(lan_op(l, WIRE_NFS3, 7).bytes, 20 * 32768);
	assert_int_equal(lan_health(l)->truncated, 0);
	/* Three in a segment: of the second the beginning was captured, of the third nothing. */
	nfs3_read(m, 90, 512);
	memcpy(m->b + m->n, m->b, m->n);
	memcpy(m->b + 2 * m->n, m->b, m->n);
	m->b[m->n + 7] = 91;
	m->b[2 * m->n + 7] = 92;
	tcp_put(&t, 0, m->b, 3 * m->n);
	assert_int_equal(lan_op(l, WIRE_NFS3, READ).calls, 22);
	assert_true(lan_health(l)->truncated > 0);
	free(m);
	lan_free(l);
}

static void
test_sequence_wraps(void **state)
{
	struct run *r = ten_reads();
	struct lan *l = lan();
	struct tcp t = tcp_new(l, 700, 2049);

	(void)state;
	t.seq[0] = UINT32_MAX - 100;
	t.seq[1] = UINT32_MAX - 333;
	tcp_open(&t);
	put_in_pieces(&t, 0, &r->calls, 70);
	put_in_pieces(&t, 1, &r->replies, 110);
	expect_ten(l);
	lan_free(l);
	free(r);
}

/* One damaged number changes nothing; a stream that really jumped is followed. */
static void
test_far_away(void **state)
{
	struct run *r = ten_reads();
	struct lan *l = lan();
	struct tcp t = tcp_new(l, 700, 2049);

	(void)state;
	tcp_open(&t);
	tcp_put(&t, 0, r->calls.b, 300);
	tcp_at(&t, 0, t.seq[0] + 0x60000000, r->calls.b, 100, 0x18);
	tcp_at(&t, 0, t.seq[0] + 77, "", 0, 0x06);	/* SYN and RST: no packet of this connection */
	tcp_put(&t, 0, r->calls.b + 300, r->calls.n - 300);
	tcp_put(&t, 1, r->replies.b, r->replies.n);
	expect_ten(l);
	t.seq[0] += 0x40000000;
	nfs3_getattr(&r->calls, 50);
	tcp_put(&t, 0, r->calls.b, r->calls.n);
	nfs3_getattr(&r->calls, 51);
	tcp_put(&t, 0, r->calls.b, r->calls.n);
	nfs3_getattr(&r->calls, 52);
	tcp_put(&t, 0, r->calls.b, r->calls.n);
	assert_int_equal(lan_op(l, WIRE_NFS3, GETATTR).calls, 2);
	lan_free(l);
	free(r);
}

/* Anything else is let alone, and the same ports are looked at anew when they are opened again. */
static void
test_other_traffic(void **state)
{
	struct run *r = ten_reads();
	struct lan *l = lan();
	struct tcp t = tcp_new(l, 700, 80);

	(void)state;
	tcp_open(&t);
	tcp_put(&t, 0, "GET /a/long/enough/path HTTP/1.1\r\nHost: there\r\n\r\n", 50);
	tcp_put(&t, 1, "HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\nabc", 45);
	tcp_put(&t, 0, r->calls.b, r->calls.n);
	assert_int_equal(lan_flows(l), 0);
	t.seq[0] += 999999;
	t.seq[1] += 999999;
	tcp_open(&t);
	tcp_put(&t, 0, r->calls.b, r->calls.n);
	tcp_put(&t, 1, r->replies.b, r->replies.n);
	expect_ten(l);
	assert_int_equal(lan_health(l)->malformed, 0);
	lan_free(l);
	free(r);
}

/* More connections than the table holds come and go; the one in use stays. */
static void
test_many_connections(void **state)
{
	struct lan *l = lan();
	struct tcp busy = tcp_new(l, 700, 2049);
	struct msg *m = xcalloc(1, sizeof(*m));

	(void)state;
	tcp_open(&busy);
	for (uint32_t i = 0; i < 40000; i++) {
		struct tcp t = tcp_new(l, (uint16_t)(1024 + i), 443);

		t.host[0] = (uint8_t)(3 + i / 30000);
		tcp_at(&t, 0, t.seq[0], "", 0, 0x02);
		if (i % 1000 != 0)
			continue;
		nfs3_getattr(m, i + 1);
		tcp_put(&busy, 0, m->b, m->n);
		nfs3_status(m, i + 1, 0);
		tcp_put(&busy, 1, m->b, m->n);
	}
	assert_int_equal(lan_op(l, WIRE_NFS3, GETATTR).replies, 40);
	assert_int_equal(lan_health(l)->dropped_connections, 0);
	free(m);
	lan_free(l);
}

/* Segments of one byte that wait cost more than a byte. */
static void
test_many_wait(void **state)
{
	struct lan *l = lan();
	struct msg *m = xcalloc(1, sizeof(*m));
	const unsigned enough = WIRE_QUEUE_BYTES / sizeof(struct wire_segment) / 60;

	(void)state;
	for (unsigned i = 0; i <= enough; i++) {
		struct tcp t = tcp_new(l, (uint16_t)(1000 + i), 2049);

		if (i == enough / 2)
			assert_int_equal(lan_health(l)->gaps, 0);
		tcp_open(&t);
		nfs3_getattr(m, 1);
		tcp_put(&t, 0, m->b, m->n);
		t.silent_acks = true;
		for (uint32_t k = 0; k < 60; k++)
			tcp_at(&t, 0, t.seq[0] + 10 + 2 * k, "x", 1, 0x18);
	}
	assert_true(lan_health(l)->gaps > 0);
	assert_in_range(l->d->queue_bytes, 1, WIRE_QUEUE_BYTES);
	free(m);
	lan_free(l);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_segmentation),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_reordered),
		cmocka_unit_test(test_clock_goes_back),
		cmocka_unit_test(test_retransmitted),
		cmocka_unit_test(test_hole_in_body),
		cmocka_unit_test(test_hole_is_told_of),
		cmocka_unit_test(test_hole_at_end),
		cmocka_unit_test(test_resynchronise),
		cmocka_unit_test(test_joined_in_the_middle),
		cmocka_unit_test(test_snaplen),
		cmocka_unit_test(test_sequence_wraps),
		cmocka_unit_test(test_far_away),
		cmocka_unit_test(test_other_traffic),
		cmocka_unit_test(test_many_connections),
		cmocka_unit_test(test_many_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

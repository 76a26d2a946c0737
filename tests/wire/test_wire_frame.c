/*
 * Link layers and IP: the same call, packed in every way.
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

#define GETATTR 1
#define WRITE 7

/* 66 in bytes 12 and 13 of a MAC header would be a length; the EtherType follows. */
static void
put_mac(struct msg *m)
{
	put_zeros(m, 12);
}

static void
put_ipv4(struct msg *m, uint8_t proto, unsigned total, unsigned id, unsigned fragment)
{
	put16(m, 0x4500);
	put16(m, total);
	put16(m, id);
	put16(m, fragment);
	put8(m, 64);
	put8(m, proto);
	put16(m, 0);
	put32(m, 0x0a000001);
	put32(m, 0x0a000002);
}

static void
put_ipv6(struct msg *m, uint8_t next, unsigned payload)
{
	put32(m, 0x60000000);
	put16(m, payload);
	put8(m, next);
	put8(m, 64);
	put64(m, 0xfd00000000000000u);
	put64(m, 1);
	put64(m, 0xfd00000000000000u);
	put64(m, 2);
}

static void
put_udp(struct msg *m, size_t payload)
{
	put16(m, 700);
	put16(m, 2049);
	put16(m, (unsigned)payload + 8);
	put16(m, 0);
}

/* The call without its mark, as a datagram has it. */
static size_t
call(uint8_t out[static 200])
{
	struct msg *m = xcalloc(1, sizeof(*m));
	size_t n;

	nfs3_getattr(m, 1);
	n = m->n - 4;
	memcpy(out, m->b + 4, n);
	free(m);
	return n;
}

/* What is in m already is the link's header; the rest is IPv4. True: the call was found. */
static bool
found_v4(int link_type, const struct msg *head)
{
	struct lan *l = lan_new(link_type);
	struct msg *m = xcalloc(1, sizeof(*m));
	uint8_t rpc[200];
	size_t n = call(rpc);
	bool found;

	*m = *head;
	put_ipv4(m, 17, (unsigned)n + 28, 1, 0);
	put_udp(m, n);
	put_bytes(m, rpc, n);
	put_zeros(m, 6);	/* padding, as of Ethernet */
	lan_frame(l, m->b, m->n, m->n);
	found = lan_op(l, WIRE_NFS3, GETATTR).calls == 1 && lan_health(l)->malformed == 0;
	free(m);
	lan_free(l);
	return found;
}

static void
test_link_layers(void **state)
{
	static const struct { int type; size_t zeros; const char *bytes; size_t n; } cases[] = {
		{ DLT_EN10MB, 12, "\x08\x00", 2 },
		{ DLT_EN10MB, 12, "\x81\x00\x00\x07\x08\x00", 6 },
		{ DLT_EN10MB, 12, "\x88\xa8\x00\x07\x81\x00\x00\x08\x08\x00", 10 },
		{ DLT_EN10MB, 12, "\x91\x00\x00\x07\x81\x00\x00\x08\x08\x00", 10 },
		{ DLT_LINUX_SLL, 14, "\x08\x00", 2 },
		{ DLT_LINUX_SLL, 14, "\x81\x00\x00\x07\x08\x00", 6 },
		{ DLT_LINUX_SLL2, 0, "\x08\x00\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0", 20 },
		{ DLT_NULL, 0, "\2\0\0\0", 4 },
		{ DLT_NULL, 0, "\0\0\0\2", 4 },
		{ DLT_LOOP, 0, "\0\0\0\2", 4 },
		{ DLT_RAW, 0, "", 0 },
		{ DLT_IPV4, 0, "", 0 },
	};
	struct msg *m = xcalloc(1, sizeof(*m));

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		m->n = 0;
		put_zeros(m, cases[i].zeros);
		put_bytes(m, cases[i].bytes, cases[i].n);
		assert_true(wire_link_known(cases[i].type));
		assert_true(found_v4(cases[i].type, m));
	}
	assert_false(wire_link_known(DLT_IEEE802_11));
	/* Other things are not IP. */
	m->n = 0;
	put_zeros(m, 12);
	put16(m, 0x0806);
	assert_false(found_v4(DLT_EN10MB, m));
	free(m);
}

/* IPv6 with extension headers before the datagram. */
static void
test_ipv6(void **state)
{
	struct lan *l = lan_new(DLT_EN10MB);
	struct msg *m = xcalloc(1, sizeof(*m));
	uint8_t rpc[200];
	size_t n = call(rpc);
	char text[WIRE_ADDR_TEXT];
	struct wire_flow f;

	(void)state;
	put_mac(m);
	put16(m, 0x86dd);
	put_ipv6(m, 0, (unsigned)n + 8 + 8 + 16);
	put8(m, 60);	/* hop by hop, then destination options of 16 bytes, then UDP */
	put8(m, 0);
	put_zeros(m, 6);
	put8(m, 17);
	put8(m, 1);
	put_zeros(m, 14);
	put_udp(m, n);
	put_bytes(m, rpc, n);
	lan_frame(l, m->b, m->n, m->n);
	f = lan_flow(l, 0);
	assert_int_equal(f.ops[0].calls, 1);
	wire_addr_text(&f.client, text);
	assert_string_equal(text, "fd00::1");
	wire_addr_text(&f.server, text);
	assert_string_equal(text, "fd00::2");
	free(m);
	lan_free(l);
}

/* A write of 4000 bytes over UDP in three fragments, in any order; one is missing from the next. */
static void
test_fragments(void **state)
{
	static const int orders[][3] = { { 0, 1, 2 }, { 2, 1, 0 }, { 1, 0, 2 }, { 0, 2, 1 } };
	struct msg *whole = xcalloc(1, sizeof(*whole)), *m = xcalloc(1, sizeof(*m)), *w = xcalloc(1, sizeof(*w));
	struct lan *l = lan_new(DLT_RAW);

	(void)state;
	for (unsigned id = 0; id < 5; id++) {
		nfs3_write(w, id + 1, 4000);
		whole->n = 0;
		put_udp(whole, w->n - 4);
		put_bytes(whole, w->b + 4, w->n - 4);
		for (int i = 0; i < 3; i++) {
			int part = id < 4 ? orders[id][i] : orders[0][i];
			size_t at = (size_t)part * 1480, n = part == 2 ? whole->n - at : 1480;

			if (id == 4 && part == 1)
				continue;
			m->n = 0;
			put_ipv4(m, 17, (unsigned)n + 20, id + 77, (part == 2 ? 0 : 0x2000) | (unsigned)part * 185);
			put_bytes(m, whole->b + at, n);
			lan_frame(l, m->b, m->n, m->n);
		}
	}
	assert_int_equal(lan_op(l, WIRE_NFS3, WRITE).calls, 4);
	nfs3_write_ok(w, 1, 4000);
	udp_put(l, 1, 700, 2049, w->b + 4, w->n - 4);
	assert_int_equal(lan_op(l, WIRE_NFS3, WRITE).bytes, 4000);
	wire_decoder_finish(l->d);
	assert_int_equal(lan_health(l)->gaps, 1);
	free(whole);
	free(m);
	free(w);
	lan_free(l);
}

/* Segments of more than 64 KiB have no length in their IP header (BIG TCP): lan.c makes them so. */
static void
test_big_segments(void **state)
{
	struct lan *l = lan_new(DLT_EN10MB);
	struct tcp t = tcp_new(l, 700, 2049);
	struct msg *m = xcalloc(1, sizeof(*m));

	(void)state;
	tcp_open(&t);
	nfs3_write(m, 1, 70000);
	tcp_put(&t, 0, m->b, m->n);
	nfs3_getattr(m, 2);
	tcp_put(&t, 0, m->b, m->n);
	assert_int_equal(lan_op(l, WIRE_NFS3, WRITE).calls, 1);
	assert_int_equal(lan_op(l, WIRE_NFS3, GETATTR).calls, 1);
	assert_int_equal(lan_health(l)->malformed + lan_health(l)->gaps, 0);
	free(m);
	lan_free(l);
}

/* Cut anywhere, damaged anywhere: nothing is read that is not there (the sanitizers say so), nothing is invented. */
static void
test_cut_and_damaged(void **state)
{
	struct msg *m = xcalloc(1, sizeof(*m));
	uint8_t rpc[200];
	size_t n = call(rpc);

	(void)state;
	put_mac(m);
	put16(m, 0x0800);
	put_ipv4(m, 17, (unsigned)n + 28, 1, 0);
	put_udp(m, n);
	put_bytes(m, rpc, n);
	for (size_t cap = 0; cap < m->n; cap++) {
		struct lan *l = lan_new(DLT_EN10MB);

		lan_frame(l, m->b, cap, m->n);
		/* From the whole RPC header on it is a call; before, a frame that was cut. */
		assert_int_equal(lan_op(l, WIRE_NFS3, GETATTR).calls, cap >= 14 + 28 + 24);
		assert_true(cap >= 14 + 28 || lan_health(l)->truncated == 1 || cap < 14);
		lan_free(l);
	}
	for (size_t at = 0; at < m->n; at++) {
		struct lan *l = lan_new(DLT_EN10MB);

		m->b[at] ^= 0x55;
		lan_frame(l, m->b, m->n, m->n);
		m->b[at] ^= 0x55;
		assert_true(lan_calls(l, WIRE_NFS3) <= 1);
		lan_free(l);
	}
	free(m);
}

static void
test_rdma(void **state)
{
	struct lan *l = lan_new(DLT_EN10MB);
	struct tcp t = tcp_new(l, 700, 20049);
	uint8_t b[64] = { 0 };

	(void)state;
	udp_put(l, 0, 700, 4791, b, sizeof(b));
	tcp_put(&t, 0, b, sizeof(b));
	assert_int_equal(lan_health(l)->rdma_packets, 2);
	lan_free(l);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_link_layers),
		cmocka_unit_test(test_ipv6),
		cmocka_unit_test(test_fragments),
		cmocka_unit_test(test_big_segments),
		cmocka_unit_test(test_cut_and_damaged),
		cmocka_unit_test(test_rdma),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * iSCSI: logins, digests, data with a status, the phases of a write, LUNs, errors, connections joined in the middle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pcap/dlt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "lan.h"
#include "probes/wire/decoder.h"

#define READ_10 0x28
#define WRITE_10 0x2a
#define TEST_UNIT_READY 0x00

struct scene {
	struct lan *l;
	struct tcp t;
	struct msg *m;
	bool header_digest, data_digest;
	uint32_t sn;
};

static struct scene
scene(uint16_t port)
{
	struct scene s = { .l = lan_new(DLT_EN10MB), .m = xcalloc(1, sizeof(struct msg)) };

	s.t = tcp_new(s.l, 800, port);
	return s;
}

static void
end(struct scene *s)
{
	lan_free(s->l);
	free(s->m);
}

/* One PDU as a segment of its own. */
static void
send(struct scene *s, unsigned side, struct pdu p)
{
	p.header_digest = s->header_digest;
	p.data_digest = s->data_digest;
	s->m->n = 0;
	put_pdu(s->m, &p);
	tcp_put(&s->t, side, s->m->b, s->m->n);
}

static void
login(struct scene *s, const char *request, size_t request_len, const char *response, size_t response_len)
{
	send(s, 0, (struct pdu){ .opcode = 0x43, .flags = 0x87, .tag = 1, .data = request, .data_len = (uint32_t)request_len });
	send(s, 1, (struct pdu){ .opcode = 0x23, .flags = 0x87, .tag = 1, .data = response, .data_len = (uint32_t)response_len });
}

static void
command(struct scene *s, uint32_t tag, uint8_t cdb, uint8_t lun, uint32_t expected, uint32_t immediate)
{
	uint8_t flags = cdb == READ_10 ? 0xc1 : cdb == WRITE_10 ? 0xa1 : 0x81;

	send(s, 0, (struct pdu){ .opcode = 1, .flags = flags, .tag = tag, .cdb = cdb, .lun = lun, .expected = expected,
	    .data_len = immediate, .cmd_sn = ++s->sn });
}

static void
data_in(struct scene *s, uint32_t tag, uint32_t len, bool last)
{
	send(s, 1, (struct pdu){ .opcode = 0x25, .flags = last ? 0x81 : 0, .tag = tag, .data_len = len });
}

static void
response(struct scene *s, uint32_t tag)
{
	send(s, 1, (struct pdu){ .opcode = 0x21, .flags = 0x80, .tag = tag });
}

#define NAMES "InitiatorName=iqn.2026-01.lab:host\0TargetName=iqn.2026-01.lab:t1\0SessionType=Normal\0"
#define OFFER "HeaderDigest=CRC32C,None\0DataDigest=None,CRC32C\0"
#define SECRET "CHAP_N=user\0CHAP_R=0x00112233445566778899aabbccddeeff\0CHAP_C=0xSECRETCHALLENGE\0"

/* Reads end with a Data-In that has the status; a write waits for R2T; both LUNs are told apart. */
static void
test_commands(void **state)
{
	struct scene s = scene(3260);
	struct wire_op op;

	(void)state;
	tcp_open(&s.t);
	login(&s, NAMES SECRET, sizeof(NAMES SECRET) - 1, "HeaderDigest=None\0", 18);
	command(&s, 10, READ_10, 3, 10000, 0);
	s.l->ns += 2 * LAN_MS - LAN_US;
	data_in(&s, 10, 8192, false);
	s.l->ns += LAN_MS - LAN_US;
	data_in(&s, 10, 1808, true);
	op = lan_op(s.l, WIRE_ISCSI, READ_10);
	assert_int_equal(op.replies, 1);
	assert_int_equal(op.bytes, 10000);
	assert_int_equal(op.hist->sum_ns, 2 * LAN_MS);
	assert_int_equal(op.last_sum_ns, 3 * LAN_MS);
	command(&s, 11, WRITE_10, 4, 9000, 1000);
	s.l->ns += 4 * LAN_MS - LAN_US;
	send(&s, 1, (struct pdu){ .opcode = 0x31, .flags = 0x80, .tag = 11 });
	send(&s, 0, (struct pdu){ .opcode = 5, .tag = 11, .data_len = 4000 });
	s.l->ns += 5 * LAN_MS - 2 * LAN_US;
	send(&s, 0, (struct pdu){ .opcode = 5, .flags = 0x80, .tag = 11, .data_len = 4000 });
	s.l->ns += LAN_MS - LAN_US;
	response(&s, 11);
	op = lan_op(s.l, WIRE_ISCSI, WRITE_10);
	assert_int_equal(op.bytes, 9000);
	assert_int_equal(op.hist->sum_ns, 10 * LAN_MS);
	assert_int_equal(op.r2t_sum_ns, 4 * LAN_MS);
	assert_int_equal(op.data_sum_ns, 5 * LAN_MS);
	assert_int_equal(lan_flows(s.l), 2);
	assert_int_equal(lan_flow(s.l, 0).lun, 3);
	assert_int_equal(lan_flow(s.l, 1).lun, 4);
	assert_string_equal(lan_flow(s.l, 0).name, "iqn.2026-01.lab:t1");
	assert_string_equal(lan_flow(s.l, 0).initiator, "iqn.2026-01.lab:host");
	assert_int_equal(lan_health(s.l)->malformed + lan_health(s.l)->truncated, 0);
	end(&s);
}

/* Nothing of the secret is in the names that are kept. */
static void
test_chap_is_not_kept(void **state)
{
	struct scene s = scene(3260);
	const struct wire_decoder *d;

	(void)state;
	tcp_open(&s.t);
	login(&s, NAMES SECRET, sizeof(NAMES SECRET) - 1, SECRET, sizeof(SECRET) - 1);
	command(&s, 10, TEST_UNIT_READY, 0, 0, 0);
	response(&s, 10);
	d = s.l->d;
	assert_int_equal(d->names.used, 2);
	for (uint32_t i = 1; i <= d->names.used; i++) {
		const struct wire_name *n = wire_table_at(&d->names, i);

		assert_null(strstr(n->text, "CHAP"));
		assert_non_null(strstr(n->text, "iqn.2026-01.lab"));
	}
	end(&s);
}

static void
traffic(struct scene *s)
{
	for (uint32_t tag = 20; tag < 30; tag++) {
		command(s, tag, READ_10, 0, 777, 0);
		data_in(s, tag, 777, true);
		command(s, 100 + tag, WRITE_10, 0, 512, 512);
		response(s, 100 + tag);
	}
}

static void
expect_traffic(struct scene *s)
{
	assert_int_equal(lan_op(s->l, WIRE_ISCSI, READ_10).replies, 10);
	assert_int_equal(lan_op(s->l, WIRE_ISCSI, READ_10).bytes, 7770);
	assert_int_equal(lan_op(s->l, WIRE_ISCSI, WRITE_10).replies, 10);
	assert_int_equal(lan_op(s->l, WIRE_ISCSI, WRITE_10).bytes, 5120);
	assert_int_equal(lan_health(s->l)->malformed, 0);
}

/* All four combinations: agreed on in the login, or found out by who joined later. */
static void
test_digests(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		struct scene s = scene(3260);
		char text[64];
		int n;

		if (i & 4) {
			tcp_open(&s.t);
			n = snprintf(text, sizeof(text), "HeaderDigest=%s%cDataDigest=%s%c", i & 1 ? "CRC32C" : "None", 0,
			    i & 2 ? "CRC32C" : "None", 0);
			login(&s, NAMES OFFER, sizeof(NAMES OFFER) - 1, text, (size_t)n);
		}
		s.header_digest = i & 1;
		s.data_digest = i & 2;
		traffic(&s);
		expect_traffic(&s);
		end(&s);
	}
}

/* The same, however it is cut. */
static void
test_any_segmentation(void **state)
{
	struct msg *sides[2] = { xcalloc(1, sizeof(struct msg)), xcalloc(1, sizeof(struct msg)) };

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		const bool h = i & 1, d = i & 2;

		sides[0]->n = sides[1]->n = 0;
		for (uint32_t tag = 1; tag <= 4; tag++) {
			put_pdu(sides[0], &(struct pdu){ .opcode = 1, .flags = 0xc1, .tag = tag, .cdb = READ_10, .expected = 333,
			    .cmd_sn = tag, .header_digest = h, .data_digest = d });
			put_pdu(sides[1], &(struct pdu){ .opcode = 0x25, .flags = 0x81, .tag = tag, .data_len = 333, .header_digest = h,
			    .data_digest = d });
		}
		for (size_t piece = 1; piece < 500; piece += piece < 60 ? 1 : 37) {
			struct scene s = scene(3260);
			char text[64];
			int n = snprintf(text, sizeof(text), "HeaderDigest=%s%cDataDigest=%s%c", h ? "CRC32C" : "None", 0,
			    d ? "CRC32C" : "None", 0);

			tcp_open(&s.t);
			login(&s, NAMES, sizeof(NAMES) - 1, text, (size_t)n);
			for (unsigned side = 0; side < 2; side++)
				for (size_t at = 0; at < sides[side]->n; at += piece)
					tcp_put(&s.t, side, sides[side]->b + at,
					    sides[side]->n - at < piece ? sides[side]->n - at : piece);
			assert_int_equal(lan_op(s.l, WIRE_ISCSI, READ_10).replies, 4);
			assert_int_equal(lan_op(s.l, WIRE_ISCSI, READ_10).bytes, 4 * 333);
			end(&s);
		}
	}
	free(sides[0]);
	free(sides[1]);
}

/* A check condition with its sense key; a busy target; a read that ended short. */
static void
test_errors(void **state)
{
	static const uint8_t sense[20] = { 0, 18, 0x70, 0, 0x06 };
	struct scene s = scene(3260);
	struct wire_flow f;
	char text[WIRE_ERROR_TEXT];

	(void)state;
	command(&s, 1, READ_10, 0, 4096, 0);
	send(&s, 1, (struct pdu){ .opcode = 0x21, .flags = 0x80, .status = 2, .tag = 1, .data = sense, .data_len = sizeof(sense) });
	command(&s, 2, READ_10, 0, 4096, 0);
	send(&s, 1, (struct pdu){ .opcode = 0x21, .flags = 0x80, .status = 8, .tag = 2 });
	command(&s, 3, READ_10, 0, 4096, 0);
	send(&s, 1, (struct pdu){ .opcode = 0x21, .flags = 0x82, .tag = 3, .residual = 4000 });
	assert_int_equal(lan_op(s.l, WIRE_ISCSI, READ_10).errors, 2);
	assert_int_equal(lan_op(s.l, WIRE_ISCSI, READ_10).bytes, 96);
	f = lan_flow(s.l, 0);
	assert_int_equal(f.n_errors, 2);
	wire_error_text(WIRE_ISCSI, f.errors[0].code, text);
	assert_string_equal(text, "CHECK_CONDITION/UNIT_ATTENTION");
	wire_error_text(WIRE_ISCSI, f.errors[1].code, text);
	assert_string_equal(text, "BUSY");
	end(&s);
}

/* Several connections of one session (MC/S): one flow. Another initiator on the same host: another. */
static void
test_sessions(void **state)
{
	struct scene s = scene(3260);

	(void)state;
	for (uint16_t i = 0; i < 3; i++) {
		s.t = tcp_new(s.l, 800 + i, 3260);
		tcp_open(&s.t);
		login(&s, NAMES, sizeof(NAMES) - 1, "", 0);
		command(&s, 1, READ_10, 0, 512, 0);
		data_in(&s, 1, 512, true);
	}
	assert_int_equal(lan_flows(s.l), 1);
	assert_int_equal(lan_op(s.l, WIRE_ISCSI, READ_10).bytes, 3 * 512);
	s.t = tcp_new(s.l, 900, 3260);
	tcp_open(&s.t);
	login(&s, "InitiatorName=iqn.other\0TargetName=iqn.2026-01.lab:t1\0", 54, "", 0);
	command(&s, 1, READ_10, 0, 512, 0);
	assert_int_equal(lan_flows(s.l), 2);
	end(&s);
}

/* The end of the data is missing, again and again: each read is counted and timed all the same. */
static void
test_lossy(void **state)
{
	struct scene s = scene(3260);

	(void)state;
	for (uint32_t tag = 1; tag <= 50; tag++) {
		command(&s, tag, READ_10, 0, 4096, 0);
		s.m->n = 0;
		put_pdu(s.m, &(struct pdu){ .opcode = 0x25, .flags = 0x81, .tag = tag, .data_len = 4096 });
		tcp_put(&s.t, 1, s.m->b, 1448);
		tcp_miss(&s.t, 1, s.m->n - 1448);
	}
	wire_decoder_finish(s.l->d);
	assert_int_equal(lan_op(s.l, WIRE_ISCSI, READ_10).replies, 50);
	assert_int_equal(lan_op(s.l, WIRE_ISCSI, READ_10).bytes, 50 * 4096);
	assert_int_equal(lan_health(s.l)->gaps, 49);
	assert_int_equal(lan_health(s.l)->resyncs, 0);
	end(&s);
}

/* A header is missing: that command is lost, and the next PDU is found at the start of a segment. */
static void
test_resynchronise(void **state)
{
	struct scene s = scene(3260);

	(void)state;
	traffic(&s);
	tcp_miss(&s.t, 0, 48);
	tcp_miss(&s.t, 1, 48 + 1000);
	traffic(&s);
	assert_int_equal(lan_op(s.l, WIRE_ISCSI, READ_10).replies, 20);
	wire_decoder_finish(s.l->d);
	assert_int_equal(lan_health(s.l)->gaps, 2);
	assert_int_equal(lan_health(s.l)->malformed, 0);
	end(&s);
}

/* On a port that nobody knows, without a login: two commands in a row are enough. */
static void
test_odd_port(void **state)
{
	struct scene s = scene(9999);

	(void)state;
	traffic(&s);
	assert_int_equal(lan_op(s.l, WIRE_ISCSI, READ_10).replies, 9);
	assert_int_equal(lan_op(s.l, WIRE_ISCSI, WRITE_10).replies, 10);
	assert_int_equal(lan_flow(s.l, 0).server_port, 9999);
	end(&s);
}

/* Joined within the data of a write, which looks like the reply of an RPC: at a port of iSCSI's it is none. */
static void
test_data_like_a_reply(void **state)
{
	static const uint16_t ports[] = { 3260, 860 };

	(void)state;
	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++) {
		struct scene s = scene(ports[i]);

		nfs3_read_ok(s.m, 77, 512);
		tcp_put(&s.t, 0, s.m->b, s.m->n);
		traffic(&s);
		expect_traffic(&s);
		assert_int_equal(lan_health(s.l)->orphan_replies, 0);
		end(&s);
	}
}

/* A tag that is used again without an answer; LUNs beyond 255. */
static void
test_tags_and_luns(void **state)
{
	struct scene s = scene(3260);
	struct iscsi_pdu pdu;

	(void)state;
	command(&s, 1, READ_10, 0, 512, 0);
	command(&s, 1, READ_10, 0, 512, 0);
	data_in(&s, 1, 512, true);
	assert_int_equal(lan_op(s.l, WIRE_ISCSI, READ_10).unanswered, 1);
	assert_int_equal(lan_op(s.l, WIRE_ISCSI, READ_10).replies, 1);
	s.m->n = 0;
	put_pdu(s.m, &(struct pdu){ .opcode = 1, .flags = 0xc1, .tag = 5, .cdb = READ_10 });
	s.m->b[8] = 0x41;
	s.m->b[9] = 0x02;
	assert_true(iscsi_parse(s.m->b, &pdu));
	assert_int_equal(pdu.lun, 258);
	/* Reserved bits: none of these is a command. */
	s.m->b[2] = 1;
	assert_false(iscsi_parse(s.m->b, &pdu));
	s.m->b[2] = 0;
	s.m->b[1] |= 0x10;
	assert_false(iscsi_parse(s.m->b, &pdu));
	end(&s);
}

/* RFC 7143 appendix A.4: 32 bytes of zeros, of ones, counting up. */
static void
test_crc(void **state)
{
	uint8_t b[32];

	(void)state;
	memset(b, 0, sizeof(b));
	assert_int_equal(iscsi_crc(b, sizeof(b)), 0xaa36918a);
	memset(b, 0xff, sizeof(b));
	assert_int_equal(iscsi_crc(b, sizeof(b)), 0x43aba862);
	for (unsigned i = 0; i < sizeof(b); i++)
		b[i] = (uint8_t)i;
	assert_int_equal(iscsi_crc(b, sizeof(b)), 0x4e79dd46);
}

static void
task(struct scene *s, uint32_t tag, uint8_t function, uint8_t lun, uint32_t referenced)
{
	send(s, 0, (struct pdu){ .opcode = 0x42, .flags = 0x80 | function, .tag = tag, .lun = lun, .referenced = referenced });
}

static void
task_response(struct scene *s, uint32_t tag)
{
	send(s, 1, (struct pdu){ .opcode = 0x22, .flags = 0x80, .tag = tag });
}

/* A command that is aborted, as each is that took too long, is not answered any more: from when the target says so. */
static void
test_aborted(void **state)
{
	struct scene s = scene(3260);
	struct wire_op op;

	(void)state;
	tcp_open(&s.t);
	login(&s, NAMES, sizeof(NAMES) - 1, "HeaderDigest=None\0", 18);
	for (uint32_t tag = 10; tag < 16; tag++)
		command(&s, tag, READ_10, tag < 14 ? 3 : 4, 4096, 0);
	task(&s, 100, 1, 3, 11);
	assert_int_equal(lan_op(s.l, WIRE_ISCSI, READ_10).in_flight, 6);
	task_response(&s, 100);
	op = lan_op(s.l, WIRE_ISCSI, READ_10);
	assert_int_equal(op.in_flight, 5);
	assert_int_equal(op.unanswered, 1);
	data_in(&s, 10, 4096, true);
	/* LUN 3 is reset, with 12 and 13; then the target, with the rest. */
	task(&s, 101, 5, 3, 0xffffffff);
	task_response(&s, 101);
	op = lan_op(s.l, WIRE_ISCSI, READ_10);
	assert_int_equal(op.replies, 1);
	assert_int_equal(op.in_flight, 2);
	task(&s, 102, 6, 0, 0xffffffff);
	/* A function that the target does not know ends nothing. */
	send(&s, 1, (struct pdu){ .opcode = 0x22, .flags = 0x80, .tag = 102, .response = 5 });
	assert_int_equal(lan_op(s.l, WIRE_ISCSI, READ_10).in_flight, 2);
	/* Nor does one that takes a task over to another connection. */
	task(&s, 104, 8, 0, 14);
	task_response(&s, 104);
	assert_int_equal(lan_op(s.l, WIRE_ISCSI, READ_10).in_flight, 2);
	task(&s, 103, 6, 0, 0xffffffff);
	task_response(&s, 103);
	op = lan_op(s.l, WIRE_ISCSI, READ_10);
	assert_int_equal(op.in_flight, 0);
	assert_int_equal(op.unanswered, 5);
	assert_int_equal(lan_health(s.l)->unanswered, 5);
	assert_int_equal(lan_health(s.l)->malformed, 0);
	end(&s);
}

struct times {
	uint64_t replies, timed;
};

static void
add_times(void *arg, const struct wire_flow *f)
{
	struct times *sum = arg;

	for (size_t i = 0; i < f->n_ops; i++) {
		sum->replies += f->ops[i].replies;
		sum->timed += f->ops[i].hist != NULL ? f->ops[i].hist->count : 0;
	}
}

/* Whoever makes up LUNs, commands and latencies does not make the tables grow; all is counted somewhere. */
static void
test_bounded(void **state)
{
	const struct wire_options options = { .link_type = DLT_EN10MB, .hist_bits = 6, .op_bytes = 100000 };
	const unsigned luns = 200, commands = 20, rounds = 5;
	struct scene s = scene(3260);
	struct times sum = { 0, 0 };
	uint64_t all = 0;
	size_t most = 0;

	(void)state;
	wire_decoder_free(s.l->d);
	s.l->d = wire_decoder_new(&options);
	tcp_open(&s.t);
	for (unsigned i = 0; i < luns * commands * rounds; i++) {
		command(&s, i, (uint8_t)(i / luns % commands), (uint8_t)(i % luns), 0, 0);
		s.l->ns += LAN_US << i % 20;
		response(&s, i);
		most = s.l->d->op_bytes > most ? s.l->d->op_bytes : most;
	}
	for (unsigned op = 0; op < commands; op++) {
		all += lan_op(s.l, WIRE_ISCSI, (uint8_t)op).calls;
		assert_int_equal(lan_op(s.l, WIRE_ISCSI, (uint8_t)op).in_flight, 0);
	}
	assert_int_equal(all, luns * commands * rounds);
	wire_decoder_visit(s.l->d, add_times, &sum);
	assert_int_equal(sum.replies, all);
	/* Beyond the quarter more there is one histogram, of 64 buckets of 8 bytes for each power of two up to a second. */
	assert_in_range(most, 100001, 125000 + 31 * 64 * 8);
	assert_true(lan_health(s.l)->crowded > 0);
	assert_true(lan_health(s.l)->untimed > 0);
	assert_int_equal(sum.timed + lan_health(s.l)->untimed, all);
	wire_flow_free_all(s.l->d);
	assert_int_equal(s.l->d->op_bytes, 0);
	end(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_chap_is_not_kept),
		cmocka_unit_test(test_digests),
		cmocka_unit_test(test_any_segmentation),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_aborted),
		cmocka_unit_test(test_sessions),
		cmocka_unit_test(test_lossy),
		cmocka_unit_test(test_resynchronise),
		cmocka_unit_test(test_odd_port),
		cmocka_unit_test(test_data_like_a_reply),
		cmocka_unit_test(test_tags_and_luns),
		cmocka_unit_test(test_crc),
		cmocka_unit_test(test_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

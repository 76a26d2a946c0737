#include "probes/wire/iscsi_parse.h"

#include <string.h>

#include "probes/wire/bytes.h"

#define LONGEST_AHS 128
#define LONGEST_DATA ((16u << 20) - 1)
#define SCSI_STATUS_LAST 0x40	/* TASK ABORTED (SAM-5 section 5.3) */

/* RFC 7143 section 4.6.1, SAM-5 section 4.7: the first level is enough for what is sold. */
static uint16_t
lun_of(const uint8_t *p)
{
	/* Peripheral: bus and LUN. Flat space, and whatever else: 14 bits. */
	return p[0] >> 6 == 0 ? p[1] : (uint16_t)((p[0] & 0x3f) << 8 | p[1]);
}

/* Section 11.3 */
static bool
parse_command(const uint8_t *b, struct iscsi_pdu *out)
{
	if (b[2] != 0 || b[3] != 0 || (b[1] & 0x18) != 0 || out->tag == ISCSI_NO_TAG)
		return false;
	out->lun = lun_of(b + 8);
	out->read = (b[1] & 0x40) != 0;
	out->write = (b[1] & 0x20) != 0;
	out->expected = wire_be32(b + 20);
	out->cmd_sn = wire_be32(b + 24);
	out->cdb = b[32];
	/* Data that nobody announced does not come with a command. */
	return out->data_bytes == 0 || out->write;
}

/* Section 11.4 */
static bool
parse_response(const uint8_t *b, struct iscsi_pdu *out)
{
	if ((b[1] & 0x81) != 0x80 || out->tag == ISCSI_NO_TAG)
		return false;
	out->has_status = true;
	out->response = b[2];
	out->status = b[3];
	out->underflow = (b[1] & 0x02) != 0 ? wire_be32(b + 44) : 0;
	return out->status <= SCSI_STATUS_LAST && (out->response <= 1 || out->response >= 0x80);
}

/* Section 11.7 */
static bool
parse_data_in(const uint8_t *b, struct iscsi_pdu *out)
{
	if (b[2] != 0 || (b[1] & 0x38) != 0 || out->tag == ISCSI_NO_TAG || out->ahs_bytes != 0)
		return false;
	out->has_status = (b[1] & 0x01) != 0;
	if (!out->has_status)
		return (b[1] & 0x06) == 0;
	out->status = b[3];
	out->underflow = (b[1] & 0x02) != 0 ? wire_be32(b + 44) : 0;
	return out->status <= SCSI_STATUS_LAST;
}

/* Section 11.5 */
static bool
parse_task(const uint8_t *b, struct iscsi_pdu *out)
{
	out->function = b[1] & 0x7f;
	out->lun = lun_of(b + 8);
	out->referenced = wire_be32(b + 20);
	return (b[1] & 0x80) != 0 && b[2] == 0 && b[3] == 0 && out->data_bytes == 0;
}

/* Sections 11.12 and 11.13 */
static bool
parse_login(const uint8_t *b, struct iscsi_pdu *out)
{
	out->transit = (b[1] & 0x80) != 0;
	out->next_stage = b[1] & 3;
	out->login_status = out->from_target ? b[36] : 0;
	/* Version 0, and no continued text while going on. */
	return b[2] == 0 && (b[1] & 0xc0) != 0xc0 && (out->from_target || b[3] == 0);
}

static bool
parse_by_opcode(const uint8_t *b, struct iscsi_pdu *out)
{
	switch (out->opcode) {
	case ISCSI_COMMAND:
		return parse_command(b, out);
	case ISCSI_RESPONSE:
		return parse_response(b, out);
	case ISCSI_DATA_IN:
		return parse_data_in(b, out);
	case ISCSI_LOGIN:
	case ISCSI_LOGIN_RESPONSE:
		return parse_login(b, out);
	case ISCSI_DATA_OUT:
		return (b[1] & 0x7f) == 0 && b[2] == 0 && b[3] == 0 && out->tag != ISCSI_NO_TAG;
	case ISCSI_NOP_OUT:
	case ISCSI_NOP_IN:
		return b[1] == 0x80 && b[2] == 0 && b[3] == 0;
	case ISCSI_TEXT:
	case ISCSI_TEXT_RESPONSE:
		return (b[1] & 0x3f) == 0 && b[2] == 0 && b[3] == 0;
	case ISCSI_R2T:
		return b[1] == 0x80 && b[2] == 0 && b[3] == 0 && out->data_bytes == 0 && out->ahs_bytes == 0;
	case ISCSI_TASK:
		return parse_task(b, out);
	case ISCSI_LOGOUT:
		return (b[1] & 0x80) != 0 && b[2] == 0 && b[3] == 0 && out->data_bytes == 0;
	case ISCSI_TASK_RESPONSE:
	case ISCSI_LOGOUT_RESPONSE:
		out->response = b[2];
		return b[1] == 0x80 && b[3] == 0 && out->data_bytes == 0;
	case ISCSI_SNACK:
		return (b[1] & 0xf0) == 0x80 && b[2] == 0 && b[3] == 0 && out->data_bytes == 0;
	case ISCSI_ASYNC:
	case ISCSI_REJECT:
		return b[1] == 0x80 && b[3] == 0;
	default:
		return false;
	}
}

bool
iscsi_parse(const uint8_t *b, struct iscsi_pdu *out)
{
	*out = (struct iscsi_pdu){ .opcode = b[0] & 0x3f };
	out->from_target = (out->opcode & 0x20) != 0;
	out->final = (b[1] & 0x80) != 0;
	out->ahs_bytes = b[4] * 4u;
	out->data_bytes = wire_be24(b + 5);
	out->tag = wire_be32(b + 16);
	/* Bit 7 is reserved, the immediate bit is the initiator's. */
	if ((b[0] & 0x80) != 0 || (out->from_target && (b[0] & 0x40) != 0) || out->ahs_bytes > LONGEST_AHS ||
	    out->data_bytes > LONGEST_DATA)
		return false;
	return parse_by_opcode(b, out);
}

/* Bit by bit: only done to find out whether a connection has digests. */
uint32_t
iscsi_crc(const uint8_t *p, size_t n)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < n; i++) {
		crc ^= p[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (0x82f63b78u & (0u - (crc & 1)));
	}
	return __builtin_bswap32(~crc);
}

static bool
is_key(const char *text, size_t len, const char *key, const char **value, size_t *value_len)
{
	size_t n = strlen(key);

	if (len <= n || memcmp(text, key, n) != 0 || text[n] != '=')
		return false;
	*value = text + n + 1;
	*value_len = len - n - 1;
	return true;
}

static void
take_name(char out[static ISCSI_NAME_MAX], const char *value, size_t len)
{
	if (len >= ISCSI_NAME_MAX)
		len = ISCSI_NAME_MAX - 1;
	memcpy(out, value, len);
	out[len] = '\0';
}

/* Of an offer of several the first word stands here; what counts is the target's answer, which is one. */
static int
digest_of(const char *value, size_t len)
{
	return len >= 6 && memcmp(value, "CRC32C", 6) == 0 ? 1 : 0;
}

static void
take_key(const char *text, size_t len, struct iscsi_login *out)
{
	const char *value;
	size_t n;

	if (is_key(text, len, "InitiatorName", &value, &n))
		take_name(out->initiator, value, n);
	else if (is_key(text, len, "TargetName", &value, &n))
		take_name(out->target, value, n);
	else if (is_key(text, len, "SessionType", &value, &n))
		out->discovery = n == 9 && memcmp(value, "Discovery", 9) == 0;
	else if (is_key(text, len, "HeaderDigest", &value, &n))
		out->header_digest = digest_of(value, n);
	else if (is_key(text, len, "DataDigest", &value, &n))
		out->data_digest = digest_of(value, n);
}

void
iscsi_login_text(const uint8_t *p, size_t n, struct iscsi_login *out)
{
	const char *text = (const char *)p, *end = n > 0 ? text + n : text;

	while (text < end) {
		const char *stop = memchr(text, '\0', (size_t)(end - text));
		size_t len = (size_t)((stop != NULL ? stop : end) - text);

		/* One that was cut off is not taken for whole. */
		if (stop != NULL)
			take_key(text, len, out);
		text += len + 1;
	}
}

/* SPC-5 section 4.4: fixed format 70h and 71h, descriptor format 72h and 73h. */
int
iscsi_sense_key(const uint8_t *p, size_t n)
{
	if (n < 5 || wire_be16(p) < 3)
		return -1;
	switch (p[2] & 0x7f) {
	case 0x70:
	case 0x71:
		return p[4] & 0xf;
	case 0x72:
	case 0x73:
		return p[3] & 0xf;
	default:
		return -1;
	}
}

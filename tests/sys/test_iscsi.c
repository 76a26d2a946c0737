#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sys/iscsi.h"

static void
an_initiator_with_a_session(void **state)
{
	static const char info[] =
	    "InitiatorName: iqn.1993-08.org.debian:01:cli\n"
	    "InitiatorAlias: cli\n"
	    "LIO Session ID: 1   ISID: 0x00 02 3d 00 00 00  TSIH: 1  SessionType: Normal\n"
	    "Session State: TARG_SESS_STATE_LOGGED_IN\n"
	    "---------------------[iSCSI Session Values]-----------------------\n"
	    "  CmdSN/WR  :  CmdSN/WC  :  ExpCmdSN  :  MaxCmdSN  :     ITT    :     TTT\n"
	    "----------------------[iSCSI Connections]-------------------------\n"
	    "CID: 0  Connection State: TARG_CONN_STATE_LOGGED_IN\n"
	    "   Address 10.9.0.2 TCP  StatSN: 0x12345678\n"
	    "   Address 10.9.0.3 TCP  StatSN: 0x12345679\n";
	struct iscsi_acl_facts facts;

	(void)state;
	iscsi_acl_parse(info, strlen(info), &facts);
	assert_string_equal(facts.state, "LOGGED_IN");
	assert_string_equal(facts.address, "10.9.0.2");
	/* cut in the middle of the state */
	iscsi_acl_parse(info, (size_t)(strstr(info, "LOGGED_IN") - info) + 4, &facts);
	assert_string_equal(facts.state, "LOGG");
	assert_string_equal(facts.address, "");
}

static void
an_initiator_without(void **state)
{
	static const char info[] = "No active iSCSI Session for Initiator Endpoint: iqn.1993-08.org.debian:01:cli\n";
	struct iscsi_acl_facts facts;

	(void)state;
	iscsi_acl_parse(info, strlen(info), &facts);
	assert_string_equal(facts.state, "");
	assert_string_equal(facts.address, "");
	iscsi_acl_parse(NULL, 0, &facts);
	assert_string_equal(facts.state, "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_initiator_with_a_session),
		cmocka_unit_test(an_initiator_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

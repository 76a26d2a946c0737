#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "load/nfs_link.h"
#include "load/remote.h"
#include "load/remote_wire.h"
#include "load/target.h"

static void
test_kind(void **state)
{
	(void)state;
	assert_int_equal(remote_kind("nfs://server/export"), REMOTE_NFS);
	assert_int_equal(remote_kind("iscsi://portal/iqn/1"), REMOTE_ISCSI);
	assert_int_equal(remote_kind("/srv/nfs://x"), REMOTE_NONE);
	assert_int_equal(remote_kind("nfs:/server"), REMOTE_NONE);
	assert_int_equal(remote_kind(""), REMOTE_NONE);
	assert_int_equal(remote_kind("NFS://server/export"), REMOTE_NFS);
}

static void
test_shown(void **state)
{
	static const struct {
		const char *url, *shown;
	} cases[] = {
		{ "nfs://server/export/dir", "nfs://server/export/dir" },
		{ "nfs://server/export?version=4&nfsport=2050", "nfs://server/export?version=4&nfsport=2050" },
		{ "nfs://user:geheim@server/export", "nfs://server/export" },
		{ "nfs://server/.snap/a@b", "nfs://server/.snap/a@b" },
		{ "iscsi://portal:3261/iqn.2026-01.x:d/1", "iscsi://portal:3261/iqn.2026-01.x:d/1" },
		{ "iscsi://user%geheim@portal/iqn/1", "iscsi://portal/iqn/1" },
		{ "iscsi://user%ge@h/eim@portal/iqn/1", "iscsi://portal/iqn/1" },
		{ "iscsi://user%ge?heim@portal/iqn/1", "iscsi://portal/iqn/1" },
		{ "iscsi://user%g?e&h@e?i&m@portal/iqn/1?header_digest=crc32c", "iscsi://portal/iqn/1?header_digest=crc32c" },
		{ "iscsi://portal/iqn/1?target_user=u@v&target_password=ge@heim", "iscsi://portal/iqn/1" },
		{ "nfs://user:ge?heim@server/export", "nfs://server/export" },
		{ "iscsi://portal/iqn/1?target_user=u&header_digest=none&target_password=geheim", "iscsi://portal/iqn/1?header_digest=none" },
		{ "iscsi://portal/iqn/1?target_password=geheim", "iscsi://portal/iqn/1" },
		{ "nfs://server/\033[2Jx", "nfs://server/?[2Jx" },
		{ "/srv/with@at?and=more", "/srv/with@at?and=more" },
		{ "nfs://", "nfs://" },
		{ "iscsi://@", "iscsi://" },
		{ "ISCSI://user%geheim@portal/iqn/1", "iscsi://portal/iqn/1" },
	};
	char shown[128], small[12];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		remote_shown(cases[i].url, shown, sizeof(shown));
		assert_string_equal(shown, cases[i].shown);
		assert_null(strstr(shown, "geheim"));
	}
	remote_shown("iscsi://user%geheim@portal/iqn", small, sizeof(small));
	assert_string_equal(small, "iscsi://por");
}

static void
test_version(void **state)
{
	static const struct {
		const char *url;
		int version;
	} cases[] = {
		{ "nfs://server/export", 3 }, { "nfs://server/export?", 3 }, { "nfs://server/export?version=3", 3 },
		{ "nfs://server/export?nfsport=1&version=4", 4 }, { "nfs://server/export?version=4&uid=0&gid=0", 4 },
		{ "nfs://server/export?version=41", -EINVAL }, { "nfs://server/export?version=", -EINVAL },
		{ "nfs://server/export?version", -EINVAL }, { "nfs://server/export?version=2", -EINVAL },
		{ "nfs://server/export?readahead=65536", -EINVAL }, { "nfs://server/export?autoreconnect=-1", -EINVAL },
		{ "nfs://user@server/export", -EINVAL }, { "nfs://server/user@export", 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char why[200] = "";

		assert_int_equal(nfs_url_version(cases[i].url, why, sizeof(why)), cases[i].version);
		assert_int_equal(why[0] != '\0', cases[i].version < 0);
	}
}

static void
test_split(void **state)
{
	static const struct {
		const char *url, *directory, *file;
	} cases[] = {
		{ "nfs://server/export/dir/file", "nfs://server/export/dir", "file" },
		{ "nfs://server/export/file?version=4&uid=0", "nfs://server/export?version=4&uid=0", "file" },
		{ "nfs://server/export", NULL, NULL }, { "nfs://server/export/", NULL, NULL }, { "nfs://server", NULL, NULL },
		{ "nfs://server?x=/a/b", NULL, NULL }, { "nfs://", NULL, NULL }, { "nfs://server/export/..", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *directory = NULL, *file = NULL;
		int rc = nfs_url_split(cases[i].url, &directory, &file);

		assert_int_equal(rc, cases[i].directory != NULL ? 0 : -EINVAL);
		if (rc == 0) {
			char *joined = nfs_url_join(directory, file);

			assert_string_equal(directory, cases[i].directory);
			assert_string_equal(file, cases[i].file);
			assert_string_equal(joined, cases[i].url);
			free(joined);
		}
		free(directory);
		free(file);
	}
}

static void
test_join(void **state)
{
	char *joined = nfs_url_join("nfs://server/export//?uid=0", "file");

	(void)state;
	assert_string_equal(joined, "nfs://server/export/file?uid=0");
	free(joined);
}

/* The grant of one target is none for another, and none at all is none for any. */
static void
test_grant(void **state)
{
	struct target_request request = { .name = "null:", .writes = true, .block = 512 };
	struct remote *remote = remote_new(REMOTE_NFS, "nfs://server/export");
	struct target *null;
	char why[200];

	(void)state;
	assert_int_equal(target_open(&request, &null, why, sizeof(why)), 0);
	assert_true(grant_covers(null->grant, -1));
	assert_false(grant_covers_remote(null->grant, remote));
	assert_false(grant_covers_remote(null->grant, NULL));
	assert_false(grant_covers_remote(NULL, remote));
	assert_false(grant_covers_remote(NULL, NULL));
	target_close(null);
	remote_unref(remote);
}

static void
test_here(void **state)
{
	static const struct {
		const char *address;
		bool here;
	} cases[] = { { "127.0.0.1", true }, { "127.8.9.1", true }, { "192.0.2.1", false }, { "203.0.113.7", false } };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(2049) };
	struct sockaddr local = { .sa_family = AF_UNIX };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(111) };

		assert_int_equal(inet_pton(AF_INET, cases[i].address, &v4.sin_addr), 1);
		assert_int_equal(remote_address_is_here((struct sockaddr *)&v4, sizeof(v4)), cases[i].here);
	}
	assert_int_equal(inet_pton(AF_INET6, "2001:db8::7", &v6.sin6_addr), 1);
	assert_false(remote_address_is_here((struct sockaddr *)&v6, sizeof(v6)));
	assert_false(remote_address_is_here(&local, sizeof(local)));
}

static void
test_not_built_in(void **state)
{
	struct target_request request = { .name = "iscsi://user%geheim@127.0.0.1:1/iqn.x/1", .block = 512 };
	struct target *target = NULL;
	char why[400];

	(void)state;
	if (remote_built_in(REMOTE_ISCSI, why, sizeof(why))) {
		print_message("skipped: libiscsi is built in\n");
		skip();
	}
	assert_non_null(strstr(why, "libiscsi-dev"));
	assert_int_equal(target_open(&request, &target, why, sizeof(why)), 2);
	assert_null(target);
	assert_null(strstr(why, "geheim"));
	assert_non_null(strstr(why, "libiscsi"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kind), cmocka_unit_test(test_shown), cmocka_unit_test(test_version),
		cmocka_unit_test(test_split), cmocka_unit_test(test_join), cmocka_unit_test(test_grant), cmocka_unit_test(test_here), cmocka_unit_test(test_not_built_in),
	};

	return cmocka_run_group_tests_name("remote", tests, NULL, NULL);
}

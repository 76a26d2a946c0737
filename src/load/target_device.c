#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "load/target_case.h"
#include "load/target_grant.h"
#include "load/target_held.h"

static const struct env machine = { .root = "" };

static int
refuse(const struct device_case *c, const char *reason, char *why, size_t size)
{
	snprintf(why, size, "%s refused: %s", c->facts.path, reason);
	return TARGET_REFUSED;
}

/* "--destroy 1234 (its exact size in bytes)" */
static void
words_for_naming(const struct device_case *c, char *out, size_t size)
{
	char wants[80];

	device_case_wants(c, wants, sizeof(wants));
	if (strcmp(wants, c->facts.serial) == 0)
		snprintf(out, size, "--destroy %s (its serial; or its exact size, %" PRIu64 " bytes)", wants, c->facts.size_bytes);
	else
		snprintf(out, size, "--destroy %s (its exact size in bytes)", wants);
}

/* No terminal, no --destroy: nothing on a device is lost by a forgotten line in a script. */
static int
not_named(const struct device_case *c, char *why, size_t size)
{
	char words[240], reason[600];

	words_for_naming(c, words, sizeof(words));
	if (c->signature.known)
		snprintf(reason, sizeof(reason), "it carries the signature of %s; %s writes over it", c->signature.text, words);
	else
		snprintf(reason, sizeof(reason), "without a terminal writing to a device needs %s", words);
	return refuse(c, reason, why, size);
}

static int
wrongly_named(const struct device_case *c, char *why, size_t size)
{
	char words[240], reason[600];

	words_for_naming(c, words, sizeof(words));
	snprintf(reason, sizeof(reason), "that is not this device%s%s; to write over it: %s",
	    c->signature.text[0] != '\0' ? ", which holds " : "", c->signature.text, words);
	return refuse(c, reason, why, size);
}

/* Somebody must say which device is meant, by more than a name that moves from disk to disk at each boot. */
int
target_ask_name(const struct target_request *request, const struct device_case *c, char *why, size_t size)
{
	char wants[80];

	if (request->destroy != NULL)
		return device_case_named(c, request->destroy) ? 0 : wrongly_named(c, why, size);
	if (request->confirm == NULL)
		return not_named(c, why, size);
	device_case_wants(c, wants, sizeof(wants));
	if (request->confirm(request->confirm_arg, &c->facts, wants))
		return 0;
	return refuse(c, "not confirmed", why, size);
}

static int
open_writing(int path_fd, const struct target_request *request, const struct device_case *c, struct target *target,
    char *why, size_t size)
{
	int rc = device_checks_run(c, why, size);

	if (rc == 0)
		rc = target_fits_block(request, &c->facts, why, size);
	if (rc == 0)
		rc = target_ask_name(request, c, why, size);
	if (rc == 0)
		rc = grant_device(path_fd, c, true, !request->buffered, &target->fd, &target->grant, why, size);
	return rc;
}

/* Reading harms nobody's data, but those who use the device will feel it. */
int
target_ask_to_share(const struct target_request *request, const struct device_case *c, char *why, size_t size)
{
	const struct use *use = device_case_in_use(c);
	char reason[400];

	if (use == NULL || request->in_use)
		return 0;
	if (request->confirm == NULL) {
		snprintf(reason, sizeof(reason), "it is in use (%s), and reading adds load to it: --in-use allows that", use->text);
		return refuse(c, reason, why, size);
	}
	if (request->confirm(request->confirm_arg, &c->facts, NULL))
		return 0;
	return refuse(c, "not confirmed", why, size);
}

static int
open_reading(int path_fd, const struct target_request *request, const struct device_case *c, struct target *target,
    char *why, size_t size)
{
	int rc = target_fits_block(request, &c->facts, why, size);

	if (rc == 0)
		rc = target_ask_to_share(request, c, why, size);
	if (rc != 0)
		return rc;
	target->fd = grant_reopen(path_fd, O_RDONLY | (request->buffered ? 0 : O_DIRECT));
	if (target->fd >= 0)
		return 0;
	snprintf(why, size, "%s cannot be opened: %s", c->facts.path, strerror(errno));
	return TARGET_FAILED;
}

static int
open_looked_at(int path_fd, const struct target_request *request, const struct device_case *c, struct target *target,
    char *why, size_t size)
{
	if (c->facts.size_bytes == 0 && !request->writes) {
		snprintf(why, size, "%s has no size: no medium?", c->facts.path);
		return TARGET_FAILED;
	}
	return request->writes ? open_writing(path_fd, request, c, target, why, size) :
	    open_reading(path_fd, request, c, target, why, size);
}

/* It cannot be opened, and need not be where the reason to leave it alone is plain. */
static int
not_looked_at(const struct target_request *request, const struct device_case *c, int error, char *why, size_t size)
{
	int rc = request->writes ? device_checks_run(c, why, size) : 0;

	if (rc != 0)
		return rc;
	snprintf(why, size, "%s cannot be opened: %s", c->facts.path, strerror(error));
	return TARGET_FAILED;
}

int
target_open_device(int path_fd, const struct target_request *request, struct target_held *held, char *why, size_t size)
{
	struct target *target = &held->target;
	struct device_case c;
	int rc, look, error;

	/* A first look changes nothing: closing a device that was open for writing makes udev read it anew. */
	look = grant_reopen(path_fd, O_RDONLY | O_NONBLOCK);
	error = errno;
	rc = device_case_read(&machine, look >= 0 ? look : path_fd, request->name, &c);
	if (rc < 0) {
		snprintf(why, size, "%s: %s", request->name, strerror(-rc));
		rc = TARGET_FAILED;
	} else if (look < 0) {
		rc = not_looked_at(request, &c, error, why, size);
	} else {
		rc = open_looked_at(path_fd, request, &c, target, why, size);
	}
	target->facts = c.facts;
	target->area_bytes = c.facts.size_bytes;
	target->written = c.signature.data || c.signature.known;
	device_case_free(&c);
	if (look >= 0)
		close(look);
	return rc;
}

#include "probes/wire/file.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "probes/wire/wire.h"

#define BATCH 256
/* Larger than stdio's own, for captures cut to headers; a packet larger than it goes past it, without a copy. */
#define BUFFER_BYTES 32768
#define HIST_BITS 6

static void
feed(u_char *decoder, const struct pcap_pkthdr *h, const u_char *bytes)
{
	const struct wire_packet packet = {
		/* Opened with nanoseconds: tv_usec holds them. */
		.ns = (uint64_t)h->ts.tv_sec * 1000000000 + (uint64_t)h->ts.tv_usec,
		.caplen = h->caplen,
		.len = h->len,
		.bytes = bytes,
	};

	wire_decoder_feed((struct wire_decoder *)(void *)decoder, &packet);
}

/* Captures are often kept and sent compressed: what opens this one, NULL where it is something else. */
static const char *
unpacker(FILE *file)
{
	static const struct {
		const char magic[8], *program;
	} packers[] = { { "\x1f\x8b", "zcat" }, { "\xfd" "7zXZ", "xzcat" }, { "\x28\xb5\x2f\xfd", "zstdcat" }, { "BZh", "bzcat" } };
	char head[8] = "";

	if (fseek(file, 0, SEEK_SET) < 0 || fread(head, 1, sizeof(head), file) != sizeof(head))
		return NULL;
	for (size_t i = 0; i < sizeof(packers) / sizeof(packers[0]); i++)
		if (memcmp(head, packers[i].magic, strlen(packers[i].magic)) == 0)
			return packers[i].program;
	return NULL;
}

static pcap_t *
open_file(const char *path, FILE **file, char *buffer, char *why, size_t size)
{
	char error[PCAP_ERRBUF_SIZE];
	pcap_t *pcap;

	*file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rbe");
	if (*file == NULL) {
		snprintf(why, size, "%s: %s", path, strerror(errno));
		return NULL;
	}
	/* Standard input outlives the buffer. */
	if (*file != stdin)
		setvbuf(*file, buffer, _IOFBF, BUFFER_BYTES);
	/* One thread reads it. */
	__fsetlocking(*file, FSETLOCKING_BYCALLER);
	pcap = pcap_fopen_offline_with_tstamp_precision(*file, PCAP_TSTAMP_PRECISION_NANO, error);
	if (pcap == NULL) {
		const char *program = unpacker(*file);

		if (program != NULL && *file == stdin)
			snprintf(why, size, "it is compressed: put %s before it", program);
		else if (program != NULL)
			snprintf(why, size, "%s: it is compressed: %s %s | stortop decode -", path, program, path);
		else
			snprintf(why, size, "%s: %s", path, error);
		if (*file != stdin)
			fclose(*file);
	}
	return pcap;
}

struct wire_decoder *
wire_file_decode(const char *path, volatile const int *stop, char *why, size_t size)
{
	struct wire_options options = { .hist_bits = HIST_BITS };
	struct wire_decoder *d = NULL;
	char *buffer = xmalloc(BUFFER_BYTES);
	FILE *file;
	pcap_t *pcap = open_file(path, &file, buffer, why, size);
	int rc;

	if (pcap == NULL) {
		free(buffer);
		return NULL;
	}
	why[0] = '\0';
	options.link_type = pcap_datalink(pcap);
	if (!wire_link_known(options.link_type)) {
		const char *name = pcap_datalink_val_to_name(options.link_type);

		snprintf(why, size, "%s: link type %s is not one that can be read", path, name != NULL ? name : "unknown");
		goto out;
	}
	d = wire_decoder_new(&options);
	do
		rc = pcap_dispatch(pcap, BATCH, feed, (u_char *)d);
	while (rc > 0 && (stop == NULL || *stop == 0));
	if (rc < 0)
		snprintf(why, size, "%s: %s", path, pcap_geterr(pcap));
	wire_decoder_finish(d);
out:
	pcap_close(pcap);
	free(buffer);
	return d;
}

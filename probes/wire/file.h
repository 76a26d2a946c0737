/*
 * A capture file (pcap, pcapng: whatever libpcap reads) through the decoder.
 */
#ifndef WIRE_FILE_H
#define WIRE_FILE_H

#include <stddef.h>

struct wire_decoder;

/*
 * Decodes the whole file; "-" is standard input. A decoder, to be freed, or NULL with the reason in `why` where the file cannot be opened. A file
 * that ends in the middle of a packet is decoded up to there, and `why` says so; otherwise it is "". *stop, set by a signal, ends it
 * early; NULL: nothing does.
 */
struct wire_decoder *wire_file_decode(const char *path, volatile const int *stop, char *why, size_t size);

#endif

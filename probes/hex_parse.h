/*
 * Hexadecimal counters of sysfs ("0x1f"): fc_host statistics, SCSI error counters. Pure; any thread.
 */
#ifndef PROBES_HEX_PARSE_H
#define PROBES_HEX_PARSE_H

#include <stddef.h>
#include <stdint.h>

/* ABSENT where it is none; all ones, which FC drivers print for what they do not count, are just that. */
uint64_t hex_parse(const char *buf, size_t len);

#endif

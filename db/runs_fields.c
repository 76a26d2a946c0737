#include "db/runs_fields.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/result.h"
#include "core/xalloc.h"

#define FIELD(name, type, record, member) \
	{ name, type, offsetof(struct record, member), sizeof(((struct record *)NULL)->member) }
#define LIST(name, list) const struct fields name = { list, sizeof(list) / sizeof((list)[0]) }

static const struct field of_result[] = {
	FIELD("started_ms", FIELD_INT64, result, started_ms),
	FIELD("stortop", FIELD_TEXT, result, stortop),
	FIELD("host", FIELD_TEXT, result, host),
	FIELD("workload", FIELD_TEXT, result, workload),
	FIELD("label", FIELD_TEXT, result, label),
	FIELD("engine", FIELD_TEXT, result, engine),
	FIELD("engine_why", FIELD_TEXT, result, engine_why),
	FIELD("state", FIELD_TEXT, result, state),
	FIELD("why", FIELD_TEXT, result, why),
	FIELD("runtime_s", FIELD_REAL, result, runtime_s),
	FIELD("target", FIELD_TEXT, result, target.name),
	FIELD("target_kind", FIELD_TEXT, result, target.kind),
	FIELD("target_bytes", FIELD_REAL, result, target.size_bytes),
	FIELD("target_device", FIELD_TEXT, result, target.device),
	FIELD("target_model", FIELD_TEXT, result, target.model),
	FIELD("working_set_bytes", FIELD_REAL, result, working_set_bytes),
	FIELD("host_memory_bytes", FIELD_REAL, result, host_memory_bytes),
	FIELD("array_cache_bytes", FIELD_REAL, result, array_cache_bytes),
	FIELD("buffered", FIELD_BOOL, result, buffered),
	FIELD("block_bytes", FIELD_UINT32, result, block_bytes),
	FIELD("sector_bytes", FIELD_UINT32, result, sector_bytes),
	FIELD("depth", FIELD_UINT32, result, depth),
	FIELD("device", FIELD_TEXT, result, device.name),
	FIELD("device_read_iops", FIELD_REAL, result, device.read_iops),
	FIELD("device_write_iops", FIELD_REAL, result, device.write_iops),
	FIELD("device_read_mib_s", FIELD_REAL, result, device.read_mib_s),
	FIELD("device_write_mib_s", FIELD_REAL, result, device.write_mib_s),
	FIELD("device_gavg_ms", FIELD_REAL, result, device.gavg_ms),
	FIELD("device_qavg_ms", FIELD_REAL, result, device.qavg_ms),
	FIELD("device_davg_ms", FIELD_REAL, result, device.davg_ms),
	FIELD("cpu_host_pct", FIELD_REAL, result, cpu.host_pct),
	FIELD("cpu_us_per_io", FIELD_REAL, result, cpu.us_per_io),
	FIELD("cpu_host_us_per_io", FIELD_REAL, result, cpu.host_us_per_io),
	FIELD("server", FIELD_TEXT, result, server.names),
	FIELD("server_cpu_s", FIELD_REAL, result, server.cpu_s),
	FIELD("steady", FIELD_UINT32, result, steady),
	FIELD("quick", FIELD_BOOL, result, quick),
	FIELD("phased", FIELD_BOOL, result, phased),
	FIELD("unwritten", FIELD_BOOL, result, unwritten),
	FIELD("below_sector", FIELD_BOOL, result, below_sector),
	FIELD("warnings", FIELD_UINT32, result, warnings),
	FIELD("job", FIELD_STRING, result, job_text),
};
LIST(fields_result, of_result);

static const struct field of_row[] = {
	FIELD("name", FIELD_TEXT, result_row, name),
	FIELD("section", FIELD_UINT32, result_row, section),
	FIELD("seconds", FIELD_REAL, result_row, seconds),
	FIELD("reads", FIELD_UINT64, result_row, reads),
	FIELD("writes", FIELD_UINT64, result_row, writes),
	FIELD("read_bytes", FIELD_UINT64, result_row, read_bytes),
	FIELD("write_bytes", FIELD_UINT64, result_row, write_bytes),
	FIELD("errors", FIELD_UINT64, result_row, errors),
	FIELD("late", FIELD_UINT64, result_row, late),
	FIELD("in_flight", FIELD_REAL, result_row, in_flight),
};
LIST(fields_row, of_row);

static const struct field of_point[] = {
	FIELD("at_s", FIELD_REAL, result_point, at_s),
	FIELD("seconds", FIELD_REAL, result_point, seconds),
	FIELD("read_iops", FIELD_REAL, result_point, read_iops),
	FIELD("write_iops", FIELD_REAL, result_point, write_iops),
	FIELD("read_mib_s", FIELD_REAL, result_point, read_mib_s),
	FIELD("write_mib_s", FIELD_REAL, result_point, write_mib_s),
	FIELD("mean_ms", FIELD_REAL, result_point, mean_ms),
	FIELD("p99_ms", FIELD_REAL, result_point, p99_ms),
	FIELD("device_read_iops", FIELD_REAL, result_point, device_read_iops),
	FIELD("device_write_iops", FIELD_REAL, result_point, device_write_iops),
	FIELD("device_read_mib_s", FIELD_REAL, result_point, device_read_mib_s),
	FIELD("device_write_mib_s", FIELD_REAL, result_point, device_write_mib_s),
	FIELD("device_gavg_ms", FIELD_REAL, result_point, device_gavg_ms),
	FIELD("gavg_rd_ms", FIELD_REAL, result_point, gavg_rd_ms),
	FIELD("gavg_wr_ms", FIELD_REAL, result_point, gavg_wr_ms),
	FIELD("device_gavg_rd_ms", FIELD_REAL, result_point, device_gavg_rd_ms),
	FIELD("device_gavg_wr_ms", FIELD_REAL, result_point, device_gavg_wr_ms),
	FIELD("section", FIELD_UINT32, result_point, section),
};
LIST(fields_point, of_point);

const char *
field_sql_type(const struct field *f)
{
	switch (f->type) {
	case FIELD_TEXT:
	case FIELD_STRING:
		return "TEXT";
	case FIELD_REAL:
		return "REAL";
	default:
		return "INTEGER";
	}
}

static int
bind_text(sqlite3_stmt *stmt, int at, const char *text)
{
	return text != NULL && text[0] != '\0' ? sqlite3_bind_text(stmt, at, text, -1, SQLITE_STATIC) :
	    sqlite3_bind_null(stmt, at);
}

static int
bind_field(const struct field *f, sqlite3_stmt *stmt, int at, const void *value)
{
	switch (f->type) {
	case FIELD_TEXT:
		return bind_text(stmt, at, value);
	case FIELD_STRING:
		return bind_text(stmt, at, *(char *const *)value);
	case FIELD_REAL:
		return sqlite3_bind_double(stmt, at, *(const double *)value);
	case FIELD_INT64:
		return sqlite3_bind_int64(stmt, at, *(const int64_t *)value);
	case FIELD_UINT64:
		return sqlite3_bind_int64(stmt, at, (int64_t)*(const uint64_t *)value);
	case FIELD_UINT32:
		return sqlite3_bind_int64(stmt, at, *(const uint32_t *)value);
	case FIELD_BOOL:
		return sqlite3_bind_int(stmt, at, *(const bool *)value);
	}
	return SQLITE_MISUSE;
}

int
fields_bind(const struct fields *list, sqlite3_stmt *stmt, int first, const void *from)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; i < list->n && rc == SQLITE_OK; i++)
		rc = bind_field(&list->fields[i], stmt, first + (int)i, (const char *)from + list->fields[i].offset);
	return rc;
}

static void
take_field(const struct field *f, sqlite3_stmt *stmt, int at, void *value)
{
	const char *text;
	int64_t number;

	switch (f->type) {
	case FIELD_TEXT:
		text = (const char *)sqlite3_column_text(stmt, at);
		snprintf(value, f->size, "%s", text != NULL ? text : "");
		break;
	case FIELD_STRING:
		text = (const char *)sqlite3_column_text(stmt, at);
		free(*(char **)value);
		*(char **)value = text != NULL ? xstrdup(text) : NULL;
		break;
	case FIELD_REAL:
		*(double *)value = sqlite3_column_type(stmt, at) == SQLITE_NULL ? NAN : sqlite3_column_double(stmt, at);
		break;
	case FIELD_INT64:
		*(int64_t *)value = sqlite3_column_int64(stmt, at);
		break;
	case FIELD_UINT64:
		number = sqlite3_column_int64(stmt, at);
		*(uint64_t *)value = number > 0 ? (uint64_t)number : 0;
		break;
	case FIELD_UINT32:
		*(uint32_t *)value = (uint32_t)sqlite3_column_int64(stmt, at);
		break;
	case FIELD_BOOL:
		*(bool *)value = sqlite3_column_int64(stmt, at) != 0;
		break;
	}
}

void
fields_take(const struct fields *list, sqlite3_stmt *stmt, int first, void *to)
{
	for (size_t i = 0; i < list->n; i++)
		take_field(&list->fields[i], stmt, first + (int)i, (char *)to + list->fields[i].offset);
}

#include "core/kind.h"

#include <string.h>

#include "core/kinds/kinds.h"

const struct kind *const kind_table[] = {
	&kind_host,
	&kind_cpu_total,
	&kind_cpu,
	&kind_total,
	&kind_adapter,
	&kind_port,
	&kind_disk,
	&kind_partition,
	&kind_nfs_mount,
	&kind_nfs_op,
	&kind_nfs_conn,
	&kind_nfs_flow,
	&kind_nfs_flow_op,
	&kind_nfsd,
	&kind_nfsd_client,
	&kind_iscsi_session,
	&kind_iscsi_lun,
	&kind_iscsi_conn,
	&kind_iscsi_flow,
	&kind_iscsi_flow_op,
	&kind_capture,
	&kind_nic,
	&kind_load,
	&kind_worker,
	NULL,
};

const struct kind *
kind_find(const char *key)
{
	for (size_t i = 0; kind_table[i] != NULL; i++)
		if (strcmp(kind_table[i]->key, key) == 0)
			return kind_table[i];
	return NULL;
}

bool
kind_is_total(const struct kind *kind)
{
	return kind->rollup != NULL && (kind->rollup->by == ROLLUP_IN_TOTAL || kind->rollup->by == ROLLUP_ALL);
}

bool
kind_speaks(const struct kind *kind)
{
	return kind->voice == VOICE_TROUBLE || kind_announces(kind);
}

bool
kind_announces(const struct kind *kind)
{
	return kind->voice == VOICE_ROLLUP || (kind->voice == VOICE_LEAF && kind->rollup == NULL);
}

int
kind_metric(const struct kind *kind, const char *key)
{
	for (size_t i = 0; i < kind->n_metrics; i++)
		if (strcmp(kind->metrics[i].key, key) == 0)
			return (int)i;
	return -1;
}

int
kind_column(const struct kind *kind, const char *key)
{
	for (size_t i = 0; i < kind->n_columns; i++)
		if (strcmp(kind->columns[i].key, key) == 0)
			return (int)i;
	return -1;
}

int
kind_column_flagged(const struct kind *kind, unsigned flag)
{
	for (size_t i = 0; i < kind->n_columns; i++)
		if (kind->columns[i].flags & flag)
			return (int)i;
	return -1;
}

bool
kind_has_histograms(const struct kind *kind)
{
	for (size_t i = 0; i < kind->n_metrics; i++)
		if (kind->metrics[i].nature == METRIC_HIST)
			return true;
	return false;
}

/*
 * The kinds by name, for those who fill them (probes) and for their tests. Sinks use kind_table.
 */
#ifndef CORE_KINDS_KINDS_H
#define CORE_KINDS_KINDS_H

#include "core/kind.h"

extern const struct kind kind_host, kind_cpu, kind_cpu_total, kind_nic;
extern const struct kind kind_disk, kind_partition, kind_port, kind_adapter, kind_total;

extern const struct kind kind_worker, kind_load;

extern const struct kind kind_iscsi_session, kind_iscsi_lun, kind_iscsi_conn;
extern const struct kind kind_nfsd, kind_nfsd_client;
extern const struct kind kind_nfs_op, kind_nfs_conn, kind_nfs_mount;
extern const struct kind kind_nfs_flow_op, kind_nfs_flow, kind_iscsi_flow_op, kind_iscsi_flow, kind_capture;

/*
 * disk and partition; adapter and total have the same metrics under the same numbers. Sources:
 * Documentation/admin-guide/iostats.rst, Documentation/ABI/testing/sysfs-block of the kernel.
 * A sector is 512 bytes whatever the device's own is.
 */
enum disk_metric {
	DISK_READS, DISK_READS_MERGED, DISK_READ_SECTORS, DISK_READ_MS,
	DISK_WRITES, DISK_WRITES_MERGED, DISK_WRITE_SECTORS, DISK_WRITE_MS,
	DISK_IN_FLIGHT,			/* gauge */
	DISK_BUSY_MS,			/* io_ticks: time with something in flight */
	DISK_WEIGHTED_MS,		/* time_in_queue */
	DISK_DISCARDS, DISK_DISCARDS_MERGED, DISK_DISCARD_SECTORS, DISK_DISCARD_MS,	/* since 4.18 */
	DISK_FLUSHES, DISK_FLUSH_MS,	/* since 5.5, whole devices only */
	DISK_DIRECT,			/* number of metrics that diskstats gives */
	DISK_ERRORS = DISK_DIRECT,	/* SCSI ioerr_cnt */
	DISK_TIMEOUTS,			/* SCSI iotmo_cnt */
	DISK_DEV_IOS, DISK_DEV_MS,	/* derived: reads and writes of the paths or slaves below, and their time */
	DISK_METRICS,
	/* adapters only: of the port (fc_host statistics) */
	ADAPTER_LINK_FAILURES = DISK_METRICS, ADAPTER_LOSS_OF_SYNC, ADAPTER_LOSS_OF_SIGNAL,
	ADAPTER_INVALID_TX_WORDS, ADAPTER_INVALID_CRC, ADAPTER_ERROR_FRAMES, ADAPTER_DUMPED_FRAMES,
	ADAPTER_METRICS
};

/* An adapter's port: counters of Documentation/ABI fc_host statistics. */
enum port_metric {
	PORT_LINK_FAILURES, PORT_LOSS_OF_SYNC, PORT_LOSS_OF_SIGNAL, PORT_INVALID_TX_WORDS,
	PORT_INVALID_CRC, PORT_ERROR_FRAMES, PORT_DUMPED_FRAMES, PORT_METRICS
};

/* /proc/stat, in USER_HZ ticks; the parts are disjoint (guest time is taken out of user and nice). */
enum cpu_metric {
	CPU_USER, CPU_NICE, CPU_SYSTEM, CPU_IDLE, CPU_IOWAIT, CPU_IRQ, CPU_SOFTIRQ, CPU_STEAL,
	CPU_GUEST, CPU_GUEST_NICE, CPU_METRICS
};

/* /proc/net/dev */
enum nic_metric {
	NIC_RX_BYTES, NIC_RX_PACKETS, NIC_RX_ERRORS, NIC_RX_DROPPED, NIC_RX_MULTICAST,
	NIC_TX_BYTES, NIC_TX_PACKETS, NIC_TX_ERRORS, NIC_TX_DROPPED, NIC_METRICS
};

/* libstatgrab (not under a foreign root) and /proc/pressure/io */
enum host_metric {
	HOST_LOAD1_X100, HOST_LOAD5_X100, HOST_LOAD15_X100,	/* gauges: load average times 100 */
	HOST_UPTIME_S,
	HOST_MEM_TOTAL, HOST_MEM_FREE, HOST_MEM_USED, HOST_MEM_CACHE,	/* gauges, bytes */
	HOST_SWAP_TOTAL, HOST_SWAP_USED,			/* gauges, bytes */
	HOST_SWAP_IN_BYTES, HOST_SWAP_OUT_BYTES,		/* counters */
	HOST_IO_SOME_US, HOST_IO_FULL_US,			/* counters, microseconds stalled */
	HOST_METRICS
};

/* This host as an NFS server: /proc/net/rpc/nfsd (fs/nfsd/stats.c) */
enum nfsd_metric {
	NFSD_CALLS, NFSD_BAD_CALLS, NFSD_READS, NFSD_WRITES, NFSD_COMMITS, NFSD_READ_BYTES, NFSD_WRITE_BYTES,
	NFSD_THREADS, NFSD_CLIENTS,	/* gauges */
	NFSD_METRICS
};
enum nfsd_client_metric { NFSD_CLIENT_RENEWED_S, NFSD_CLIENT_METRICS };

/* TCP's view of connections, behind the metrics of the kinds that have it: src/core/kinds/tcp.h */
enum tcp_metric { TCP_SEEN, TCP_RTT_US, TCP_SEND_QUEUE, TCP_SEGMENTS, TCP_RETRANSMITTED, TCP_METRICS_N };

/*
 * An operation of an NFS mount: the "per-op statistics" of /proc/self/mountstats (net/sunrpc/stats.c, struct rpc_iostats).
 * What reads, writes and commits are made of is derived from the operation's name, under the keys that disks have, so that
 * mounts and totals are plain sums.
 */
enum nfs_op_metric {
	NFS_OPS, NFS_TRANSMISSIONS, NFS_TIMEOUTS, NFS_SENT_BYTES, NFS_RECEIVED_BYTES,
	NFS_QUEUE_MS, NFS_RTT_MS, NFS_EXECUTE_MS,
	NFS_ERRORS,			/* since 5.3: absent before */
	NFS_DATA_BYTES,			/* of files, of READ and WRITE; 0 of all others */
	NFS_OP_DIRECT,			/* number of metrics that are read */
	NFS_READS = NFS_OP_DIRECT, NFS_READ_SECTORS, NFS_READ_MS,
	NFS_WRITES, NFS_WRITE_SECTORS, NFS_WRITE_MS,
	NFS_COMMITS, NFS_COMMIT_MS,	/* "flushes", as of a disk */
	NFS_OTHER_OPS,			/* none of the three */
	NFS_IO_QUEUE_MS, NFS_IO_RTT_MS, NFS_IO_ERRORS,	/* of READ, WRITE and COMMIT */
	NFS_OP_METRICS,
	/* mounts only: of their connections */
	NFS_IN_FLIGHT = NFS_OP_METRICS,	/* gauge */
	NFS_SENDS, NFS_REPLIES, NFS_BACKLOG_SUM,
	NFS_TCP,			/* TCP_METRICS_N of them */
	NFS_MOUNT_METRICS = NFS_TCP + TCP_METRICS_N
};

/* A connection of an NFS mount: an "xprt:" line of /proc/self/mountstats (net/sunrpc/xprtsock.c, xs_tcp_print_stats). */
enum nfs_conn_metric {
	NFS_CONN_IN_FLIGHT,		/* gauge: see probes/nfs_flight.h */
	NFS_CONN_SENDS, NFS_CONN_REPLIES, NFS_CONN_BAD_XIDS, NFS_CONN_CONNECTS, NFS_CONN_BACKLOG_SUM,
	NFS_CONN_TCP,
	NFS_CONN_METRICS = NFS_CONN_TCP + TCP_METRICS_N
};

/*
 * A session has the metrics of disks, of which it is the sum, and the commands of a target's LUNs. A LUN of this host's own
 * target (LIO, drivers/target/target_core_stat.c): whole megabytes, turned into sectors.
 */
enum iscsi_metric {
	ISCSI_COMMANDS = DISK_METRICS,
	ISCSI_TCP,
	ISCSI_SESSION_METRICS = ISCSI_TCP + TCP_METRICS_N
};
enum iscsi_conn_metric { ISCSI_CONN_TCP, ISCSI_CONN_METRICS = ISCSI_CONN_TCP + TCP_METRICS_N };
enum iscsi_lun_metric { ISCSI_LUN_COMMANDS, ISCSI_LUN_READ_SECTORS, ISCSI_LUN_WRITE_SECTORS, ISCSI_LUN_METRICS };

/*
 * An operation of a flow on the wire, and the flow (probes/wire/wire.h). Commands are RPC calls (NFSv4: compounds) or SCSI commands;
 * what is inside a compound is counted apart. Reads and writes are of both. A row of an operation has one histogram.
 */
enum flow_metric {
	FLOW_COMMANDS, FLOW_TIMED, FLOW_NS, FLOW_LAST_NS, FLOW_ERRORS, FLOW_RETRANSMITTED, FLOW_UNANSWERED,
	FLOW_IN_FLIGHT,			/* gauge */
	FLOW_MISSED,			/* by its capture, whatever flow it was of */
	FLOW_READS, FLOW_READS_TIMED, FLOW_READ_NS, FLOW_READ_BYTES,
	FLOW_WRITES, FLOW_WRITES_TIMED, FLOW_WRITE_NS, FLOW_WRITE_BYTES,
	FLOW_READ_HIST, FLOW_WRITE_HIST, FLOW_OTHER_HIST,
	FLOW_OWN,			/* the first that the two protocols do not share */
	FLOW_R2T = FLOW_OWN, FLOW_R2T_NS, FLOW_DATA, FLOW_DATA_NS,
	FLOW_ISCSI_METRICS,
	FLOW_INNER = FLOW_OWN, FLOW_INNER_TIMED, FLOW_INNER_NS, FLOW_INNER_ERRORS,
	FLOW_INNER_READ_HIST, FLOW_INNER_WRITE_HIST, FLOW_INNER_OTHER_HIST,
	FLOW_METRICS
};

/* An interface packets are captured on: struct wire_health, and the kernel's drops (pcap_stats). */
enum capture_metric {
	CAPTURE_PACKETS, CAPTURE_BYTES, CAPTURE_DROPPED, CAPTURE_GAPS, CAPTURE_RESYNCS, CAPTURE_ORPHANS, CAPTURE_UNANSWERED,
	CAPTURE_TRUNCATED, CAPTURE_MALFORMED, CAPTURE_RETRANSMITTED, CAPTURE_PRIVATE, CAPTURE_TLS, CAPTURE_RDMA,
	CAPTURE_EVICTED, CAPTURE_CROWDED, CAPTURE_METRICS
};

/* A load worker, and the run (kind_load) with the same metrics: src/load/counters.h */
enum worker_metric {
	WORKER_READS, WORKER_READ_BYTES, WORKER_READ_NS, WORKER_WRITES, WORKER_WRITE_BYTES, WORKER_WRITE_NS,
	WORKER_SYNCS, WORKER_SYNC_NS, WORKER_ERRORS, WORKER_LATE, WORKER_WEIGHTED_NS,
	WORKER_IN_FLIGHT,		/* gauge */
	WORKER_READ_HIST, WORKER_WRITE_HIST, WORKER_RESPONSE_HIST, WORKER_SYNC_HIST, WORKER_METRICS
};

#endif

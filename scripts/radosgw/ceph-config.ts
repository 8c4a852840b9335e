type CephOptions = {
  folder: string;
  fsid: string;
  gatewayPort: number;
  monitorPort: number;
  /** The address that the gateway listens at. */
  gatewayHost?: string;
};

const STORE_BYTES = 2 * 1024 ** 3;

/** Returns the configuration of a cluster with one monitor, one store in memory and one gateway, without passwords between them. */
export function formatCephConfig({
  folder,
  fsid,
  gatewayPort,
  monitorPort,
  gatewayHost = '127.0.0.1',
}: CephOptions): string {
  return `[global]
fsid = ${fsid}
mon_host = [v2:127.0.0.1:${monitorPort}]
ms_bind_ipv6 = false
public_network = 127.0.0.0/8
cluster_network = 127.0.0.0/8
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
auth_allow_insecure_global_id_reclaim = false
run_dir = ${folder}/run
log_file = ${folder}/$name.log
admin_socket = ${folder}/run/$name.asok
pid_file = ${folder}/run/$name.pid

# One copy of each object.
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_warn_on_pool_no_redundancy = false
mon_max_pg_per_osd = 1000
mon_data_avail_warn = 1
mon_data_avail_crit = 1

[mon]
mon_data = ${folder}/monitor
mon_cluster_log_file = ${folder}/cluster.log
mon_initial_members = a
# A cluster of one has nobody to wait for.
paxos_propose_interval = 0.05
paxos_min_wait = 0.01

[osd]
osd_data = ${folder}/osd
osd_objectstore = memstore
memstore_device_bytes = ${STORE_BYTES}
osd_class_load_list = *
osd_class_default_list = *

[client]
# The default mode requires passwords.
ms_mon_client_mode = crc
rgw_data = ${folder}/gateway
# Without tcp_nodelay, each response takes 44 ms.
rgw_frontends = beast endpoint=${gatewayHost}:${gatewayPort} tcp_nodelay=1
rgw_thread_pool_size = 32
rgw_num_rados_handles = 1
rgw_run_sync_thread = false
rgw_enable_usage_log = false
rgw_enable_quota_threads = false
`;
}

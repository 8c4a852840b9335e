import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '../find-free-port.ts';
import { stopProcess } from '../service-process.ts';
import { waitUntil } from '../wait-until.ts';
import { formatCephConfig } from './ceph-config.ts';
import { pauseProcess } from './pause-process.ts';

const USER = 'cloche';
const run = promisify(execFile);

/** A running S3 server, and a key that may do everything in it. */
export interface RadosGateway extends AsyncDisposable {
  endpoint: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Stops all work of the gateway until `resume`: connections are accepted, and nothing is answered. */
  pause(): void;
  resume(): void;
  /** Kills the gateway: connections are refused. The objects stay until it is disposed. */
  kill(): Promise<void>;
  /** Starts the gateway again, at the same endpoint. */
  restart(): Promise<void>;
}

/**
 * Starts a real S3 server for tests and demos: the gateway of Ceph with one monitor and one store in memory. Needs the
 * programs of Debian's packages radosgw, ceph-mon, ceph-osd and ceph-common.
 *
 * @param folder an empty folder for its configuration, logs and sockets
 */
export async function startRadosGateway(folder: string): Promise<RadosGateway> {
  const [gatewayPort, monitorPort] = [await findFreePort(), await findFreePort()];
  const fsid = crypto.randomUUID();
  for (const name of ['monitor', 'osd', 'run', 'gateway']) await mkdir(join(folder, name));
  const configFile = join(folder, 'ceph.conf');
  await writeFile(configFile, formatCephConfig({ folder, fsid, gatewayPort, monitorPort }));
  const environment = { ...process.env, CEPH_CONF: configFile };
  const call = (program: string, ...args: string[]) => run(program, args, { env: environment });
  const processes: ChildProcess[] = [];
  const start = (program: string, ...args: string[]) => {
    const child = spawn(program, ['-f', ...args], { env: environment, stdio: 'ignore' });
    processes.push(child);
    return child;
  };
  const killAll = () => {
    for (const child of processes) child.kill('SIGKILL');
  };
  process.once('exit', killAll);

  const monitorMap = join(folder, 'monitor-map');
  const monitorAddress = `[v2:127.0.0.1:${monitorPort}]`;
  await call('monmaptool', '--create', '--fsid', fsid, '--addv', 'a', monitorAddress, monitorMap);
  await call('ceph-mon', '--mkfs', '-i', 'a', '--monmap', monitorMap);
  start('ceph-mon', '-i', 'a');
  const osdId = crypto.randomUUID();
  await call('ceph', 'osd', 'new', osdId, '0');
  await call('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', osdId);
  start('ceph-osd', '-i', '0');
  const createUser = ['user', 'create', `--uid=${USER}`, `--display-name=${USER}`];
  const { stdout } = await call('radosgw-admin', ...createUser);
  const [key] = (JSON.parse(stdout) as { keys: { access_key: string; secret_key: string }[] }).keys;

  const endpoint = `http://127.0.0.1:${gatewayPort}`;
  let gateway: ChildProcess;
  const startGateway = async () => {
    gateway = start('radosgw', '-n', 'client.rgw');
    const check = () => fetch(endpoint).then(isAnswer, isNoAnswer);
    await waitUntil('the S3 server to respond', check, { timeoutMs: 240_000 });
  };
  await startGateway();
  return {
    endpoint,
    accessKeyId: key?.access_key ?? '',
    secretAccessKey: key?.secret_key ?? '',
    pause: () => pauseProcess(gateway.pid ?? assert.fail()),
    resume: () => gateway.kill('SIGCONT'),
    kill: async () => {
      await stopProcess(gateway, 'SIGKILL');
    },
    restart: startGateway,
    [Symbol.asyncDispose]: async () => {
      process.off('exit', killAll);
      for (const child of processes.toReversed()) await stopProcess(child, 'SIGKILL');
    },
  };
}

const isAnswer = () => true;
const isNoAnswer = () => false;

import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { waitUntil } from '../../scripts/wait-until.ts';
import {
  type AttackEffect,
  LOOT,
  MARK_START,
  SECRET,
  type WorkerAttack,
} from './attacks/attack.ts';
import { findProcessesUsing } from './processes.ts';
import { openTemporaryDirectory } from './temporary-directory.ts';

const SERVICE = join(import.meta.dirname, 'attacked-service.ts');
const SHARP = import.meta.resolve('sharp');
const TARGET_FILES = ['cloche.sqlite', 'secret', 'image.png'];
const MODULES = fileURLToPath(SHARP).replace(/node_modules\/sharp\/.*/, 'node_modules');

/** What restricts the worker; see attacked-service.ts. */
export type AttackMode = 'unrestricted' | 'restricted';

/** Runs an attack in a worker of a new service, and returns all effects that it had. */
export async function runAttack(
  t: TestContext,
  attack: WorkerAttack,
  mode: AttackMode,
): Promise<AttackEffect[]> {
  const prepared = await prepareAttack(t, attack);
  const args = [SERVICE, prepared.jobDirectory, prepared.target.secretFile, mode];
  const service = spawnService(t, [process.execPath, '--inspect-port=0', ...args]);
  await Promise.race([once(service.child, 'message'), once(service.child, 'exit')]);
  if (mode !== 'unrestricted') return listEffects(service, prepared);
  return waitForEffect(attack, service, prepared);
}

/** What an attack is directed at, and where its script is. */
export type PreparedAttack = Awaited<ReturnType<typeof prepareAttack>>;

/** Creates what an attack is directed at, and its script `attack.ts` in the directory of a job. */
export async function prepareAttack(t: TestContext, { script }: WorkerAttack) {
  const directory = await openTemporaryDirectory(t);
  const jobDirectory = join(directory, 'job');
  await mkdir(join(jobDirectory, 'out'), { recursive: true });
  const target = await createTarget(join(directory, 'data'));
  const shared = await createSharedDirectory(t);
  const network = await listen(t, [join(directory, 'socket'), shared.sharedSocket]);
  await chmod(shared.sharedSocket, 0o777);
  const leftBehind = join(directory, 'left-behind');
  t.after(() => endProcesses(leftBehind));
  const parameters = {
    ...target,
    ...shared,
    ...network.addresses,
    leftBehind,
    observerPid: process.pid,
    sharp: SHARP,
    modules: MODULES,
  };
  const attackScript = `const target = ${JSON.stringify(parameters)};\n${MARK_START}\n${script}\nsetTimeout(() => process.exit(0), 200);`;
  await writeFile(join(jobDirectory, 'attack.ts'), attackScript);
  return { directory, jobDirectory, target, shared, network, leftBehind };
}

/** Waits until an attack that must succeed has an effect. */
export function waitForEffect(
  { name }: WorkerAttack,
  service: AttackedService,
  attack: PreparedAttack,
): Promise<AttackEffect[]> {
  return waitUntil(`an effect of ${name}`, async () => {
    const effects = await listEffects(service, attack);
    return effects.length > 0 && effects;
  });
}

/** A directory like `/tmp`, to which all users can write, with a file and a socket for all. */
async function createSharedDirectory(t: TestContext) {
  const sharedDirectory = await openTemporaryDirectory(t);
  await chmod(sharedDirectory, 0o1777);
  const sharedFile = join(sharedDirectory, 'file');
  await writeFile(sharedFile, '');
  await chmod(sharedFile, 0o666);
  return { sharedDirectory, sharedFile, sharedSocket: join(sharedDirectory, 'socket') };
}

async function createTarget(directory: string) {
  await mkdir(directory);
  const target = {
    directory,
    database: join(directory, 'cloche.sqlite'),
    secretFile: join(directory, 'secret'),
    secretImage: join(directory, 'image.png'),
  };
  await writeFile(target.secretFile, SECRET);
  const create = { width: 1, height: 1, channels: 3, background: '#5ec2e7' } as const;
  await sharp({ create }).png().toFile(target.secretImage);
  using database = new DatabaseSync(target.database);
  database.exec(`CREATE TABLE token (name TEXT); INSERT INTO token VALUES ('first')`);
  return target;
}

async function listen(t: TestContext, [unixSocket, sharedSocket]: [string, string]) {
  const network = { isReached: false };
  const onReached = () => {
    network.isReached = true;
  };
  const tcp = createServer(onReached).listen(0, '127.0.0.1');
  const unix = createServer(onReached).listen(unixSocket);
  const shared = createServer(onReached).listen(sharedSocket);
  const udp = createSocket('udp4', onReached).bind(0, '127.0.0.1');
  const servers = [tcp, unix, shared, udp];
  t.after(() => servers.map((server) => server.close()));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const addresses = {
    tcpPort: (tcp.address() as AddressInfo).port,
    udpPort: udp.address().port,
    unixSocket,
  };
  return Object.assign(network, { addresses });
}

/** The process that stands for the service. `pid` differs from that of the child if another program starts it. */
export type AttackedService = { child: ChildProcess; pid: number; errorOutput: string };

/** Starts the service, which ends with the test. */
export function spawnService(
  t: TestContext,
  [program = '', ...args]: readonly string[],
  user: { uid?: number; gid?: number } = {},
): AttackedService {
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { CLOCHE_SECRET: SECRET },
    ...user,
  });
  t.after(() => child.kill('SIGKILL'));
  const service = { child, pid: child.pid ?? 0, errorOutput: '' };
  child.stderr?.on('data', (text) => {
    service.errorOutput += text;
  });
  return service;
}

/** Lists what the attack has achieved so far. */
export async function listEffects(
  { child, pid, errorOutput }: AttackedService,
  { target, shared, network, jobDirectory, leftBehind }: PreparedAttack,
): Promise<AttackEffect[]> {
  const isKilled = child.exitCode !== null || child.signalCode !== null;
  const loot = await readFile(join(jobDirectory, LOOT), 'utf8').catch(() => '');
  const createdFiles = [
    ...(await readdir(target.directory)).filter((name) => !TARGET_FILES.includes(name)),
    ...(await readdir(shared.sharedDirectory)).filter((name) => name === 'new'),
  ];
  const effects: Record<AttackEffect, boolean> = {
    'database changed': countTokens(target.database) !== 1,
    'service killed': isKilled,
    'service slowed down': !isKilled && getPriority(pid) > getPriority(),
    'process left behind': findProcessesUsing(leftBehind).length > 0,
    'inspector opened': errorOutput.includes('Debugger listening'),
    'network reached': network.isReached,
    'file written': createdFiles.length > 0,
    'disk filled': (await stat(shared.sharedFile)).size > 0,
    'secret read': loot.includes(SECRET),
  };
  return Object.entries(effects).flatMap(([effect, happened]) =>
    happened ? [effect as AttackEffect] : [],
  );
}

/** Undefined if there is no database. */
function countTokens(path: string): number | undefined {
  if (!existsSync(path)) return undefined;
  using database = new DatabaseSync(path, { readOnly: true });
  return database.prepare('SELECT * FROM token').all().length;
}

function endProcesses(argument: string): void {
  for (const { pid } of findProcessesUsing(argument)) process.kill(pid, 'SIGKILL');
}

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { waitUntil } from '../../scripts/wait-until.ts';
import { findProcessesUsing } from './processes.ts';
import { openTemporaryDirectory } from './temporary-directory.ts';
import {
  type AttackEffect,
  LOOT,
  MARK_START,
  SECRET,
  STARTED,
  type WorkerAttack,
} from './worker-attacks.ts';

const SERVICE = join(import.meta.dirname, 'attacked-service.ts');
const SHARP = import.meta.resolve('sharp');
const MODULES = fileURLToPath(SHARP).replace(/node_modules\/sharp\/.*/, 'node_modules');

/** What restricts the worker; see attacked-service.ts. */
export type AttackMode = 'unrestricted' | 'restricted' | 'strict' | 'reduced';

/** Runs an attack in a worker of a new service, and returns all effects that it had. */
export async function runAttack(
  t: TestContext,
  { name, script }: WorkerAttack,
  mode: AttackMode,
): Promise<AttackEffect[]> {
  const directory = await openTemporaryDirectory(t);
  const jobDirectory = join(directory, 'job');
  await mkdir(join(jobDirectory, 'out'), { recursive: true });
  const target = await createTarget(join(directory, 'data'));
  const network = await listen(t, join(directory, 'socket'));
  const leftBehind = join(directory, 'left-behind');
  const parameters = {
    ...target,
    ...network.addresses,
    leftBehind,
    sharp: SHARP,
    modules: MODULES,
  };
  const attackScript = `const target = ${JSON.stringify(parameters)};\n${MARK_START}\n${script}\nsetTimeout(() => process.exit(0), 200);`;
  await writeFile(join(jobDirectory, 'attack.ts'), attackScript);
  const service = await runService(t, [jobDirectory, target.secretFile, mode]);
  const observed = { service, target, network, jobDirectory, leftBehind };
  t.after(() => endProcesses(leftBehind));
  if (mode === 'strict' || mode === 'reduced')
    assert.ok(existsSync(join(jobDirectory, STARTED)), service.errorOutput);
  if (mode !== 'unrestricted') return listEffects(observed);
  return waitUntil(`an effect of ${name}`, async () => {
    const effects = await listEffects(observed);
    return effects.length > 0 && effects;
  });
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

async function listen(t: TestContext, unixSocket: string) {
  const network = { isReached: false };
  const onReached = () => {
    network.isReached = true;
  };
  const tcp = createServer(onReached).listen(0, '127.0.0.1');
  const unix = createServer(onReached).listen(unixSocket);
  const udp = createSocket('udp4', onReached).bind(0, '127.0.0.1');
  t.after(() => [tcp, unix, udp].map((server) => server.close()));
  await Promise.all([tcp, unix, udp].map((server) => once(server, 'listening')));
  const addresses = {
    tcpPort: (tcp.address() as AddressInfo).port,
    udpPort: udp.address().port,
    unixSocket,
  };
  return Object.assign(network, { addresses });
}

/** Starts the service and waits until its worker has exited, or until it was killed. */
async function runService(t: TestContext, args: string[]) {
  const child = spawn(process.execPath, ['--inspect-port=0', SERVICE, ...args], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { CLOCHE_SECRET: SECRET },
  });
  t.after(() => child.kill('SIGKILL'));
  const service = { child, errorOutput: '' };
  child.stderr?.on('data', (text) => {
    service.errorOutput += text;
  });
  await Promise.race([once(child, 'message'), once(child, 'exit')]);
  return service;
}

type Observed = {
  service: { child: ChildProcess; errorOutput: string };
  target: Awaited<ReturnType<typeof createTarget>>;
  network: Awaited<ReturnType<typeof listen>>;
  jobDirectory: string;
  leftBehind: string;
};

async function listEffects(observed: Observed): Promise<AttackEffect[]> {
  const { service, target, network, jobDirectory, leftBehind } = observed;
  const isKilled = service.child.exitCode !== null || service.child.signalCode !== null;
  const loot = await readFile(join(jobDirectory, LOOT), 'utf8').catch(() => '');
  using database = new DatabaseSync(target.database, { readOnly: true });
  const effects: Record<AttackEffect, boolean> = {
    'database changed': database.prepare('SELECT * FROM token').all().length !== 1,
    'service killed': isKilled,
    'service slowed down': !isKilled && getPriority(service.child.pid) > getPriority(),
    'process left behind': findProcessesUsing(leftBehind).length > 0,
    'inspector opened': service.errorOutput.includes('Debugger listening'),
    'network reached': network.isReached,
    'file written': (await readdir(target.directory)).length > 3,
    'secret read': loot.includes(SECRET),
  };
  return Object.entries(effects).flatMap(([effect, happened]) =>
    happened ? [effect as AttackEffect] : [],
  );
}

function endProcesses(argument: string): void {
  for (const { pid } of findProcessesUsing(argument)) process.kill(pid, 'SIGKILL');
}

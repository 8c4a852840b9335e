import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

/** Checks the types of every room that has a tsconfig.json, side by side. */
const ROOMS = ['contract', 'server', 'viewer', 'demo', 'bench', 'e2e', 'scripts'];
const root = join(import.meta.dirname, '..');

const rooms = ROOMS.filter((room) => existsSync(join(root, room, 'tsconfig.json')));
const lanes = Array.from({ length: availableParallelism() }, async () => {
  for (let room = rooms.shift(); room !== undefined; room = rooms.shift()) await check(room);
});
await Promise.all(lanes);

async function check(room: string): Promise<void> {
  const tsc = spawn(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '--project', join(root, room)],
    { stdio: 'inherit' },
  );
  const code = await new Promise<number | null>((resolve) => tsc.once('exit', resolve));
  if (code !== 0) process.exitCode = 1;
}

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

/** Checks the types of every room that has a tsconfig.json, side by side. */
const WORKSPACES = ['contract', 'pipeline', 'server', 'viewer', 'demo', 'bench', 'e2e', 'scripts'];
const root = join(import.meta.dirname, '..');

const workspaces = WORKSPACES.filter((room) => existsSync(join(root, room, 'tsconfig.json')));
const runners = Array.from({ length: availableParallelism() }, async () => {
  for (let room = workspaces.shift(); room !== undefined; room = workspaces.shift())
    await checkTypes(room);
});
await Promise.all(runners);

async function checkTypes(room: string): Promise<void> {
  const tsc = spawn(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '--project', join(root, room)],
    { stdio: 'inherit' },
  );
  const code = await new Promise<number | null>((resolve) => tsc.once('exit', resolve));
  if (code !== 0) process.exitCode = 1;
}

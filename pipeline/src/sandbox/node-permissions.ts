import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SandboxLimits } from './limits.ts';

const SOURCE_DIRECTORY = realpathSync(join(import.meta.dirname, '..'));

/** What the child runs, unless a test says otherwise. */
export const WORKER_ENTRY = join(SOURCE_DIRECTORY, 'sandbox/worker/main.ts');

/**
 * Node's flags for a child that reads its own code and one folder, and writes to one within that.
 *
 * Node's permission model is a fence for our libraries' JavaScript: no file, no process, no worker
 * beyond these. Addons are let in for sharp alone; native code is held by the system's walls.
 */
export function getNodeFlags(folder: string, { heapBytes }: SandboxLimits): string[] {
  const readable = [...listCodeDirectories(), folder];
  return [
    '--permission',
    '--allow-addons',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    `--allow-fs-write=${join(folder, 'out')}`,
    `--max-old-space-size=${Math.floor(heapBytes / 1024 / 1024)}`,
    '--no-warnings',
  ];
}

/** Our source, the contract's, and every node_modules on the way up: npm puts packages in any. */
function listCodeDirectories(): Set<string> {
  const contract = realpathSync(fileURLToPath(import.meta.resolve('@cloche/contract/problem')));
  const folders = new Set([SOURCE_DIRECTORY, dirname(contract)]);
  for (let at = SOURCE_DIRECTORY; dirname(at) !== at; at = dirname(at)) {
    const modules = join(at, 'node_modules');
    // Often a link, in containers; Node asks for it under both names.
    if (existsSync(modules)) folders.add(modules).add(realpathSync(modules));
  }
  return folders;
}

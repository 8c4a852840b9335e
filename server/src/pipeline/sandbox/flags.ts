import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bounds } from './bounds.ts';

const SOURCE = realpathSync(join(import.meta.dirname, '../..'));

/** What the child runs, unless a test says otherwise. */
export const ENTRY = join(SOURCE, 'pipeline/child/main.ts');

/**
 * Node's flags for a child that reads its own code and one folder, and writes to one within that.
 *
 * Node's permission model is a fence for our libraries' JavaScript: no file, no process, no worker
 * beyond these. Addons are let in for sharp alone; native code is held by the system's walls.
 */
export function permissions(folder: string, { heapBytes }: Bounds): string[] {
  const readable = [...codeFolders(), folder];
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
function codeFolders(): Set<string> {
  const contract = realpathSync(fileURLToPath(import.meta.resolve('@cloche/contract/problem')));
  const folders = new Set([SOURCE, dirname(contract)]);
  for (let at = SOURCE; dirname(at) !== at; at = dirname(at)) {
    const modules = join(at, 'node_modules');
    // Often a link, in containers; Node asks for it under both names.
    if (existsSync(modules)) folders.add(modules).add(realpathSync(modules));
  }
  return folders;
}

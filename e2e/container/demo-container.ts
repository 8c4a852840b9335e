import { join } from 'node:path';
import { waitUntil } from '../../scripts/wait-until.ts';
import { readDocumentedFlags } from './documented-flags.ts';
import type { Podman } from './podman.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The parts of the demo that an image does not have. */
const MOUNTED_FOLDERS = ['demo', 'scripts'];
/** For the processing of the sample, on a busy machine. */
const TIMEOUT_MS = 240_000;

/**
 * Runs the demo in a container of an image, with the documented flags: with the Node of the image, it starts the service of the image
 * and does the four steps of embedding. Returns a function that waits until a pattern is printed, and returns its first group.
 */
export async function startDemo(podman: Podman, name: string, image: string) {
  const mounts = MOUNTED_FOLDERS.flatMap((folder) => [
    '--volume',
    `${join(ROOT, folder)}:/opt/cloche/${folder}:ro`,
  ]);
  const flags = ['--detach', '--name', name, ...readDocumentedFlags(), ...mounts];
  await podman.start(...flags, '--entrypoint', 'node', image, 'demo/main.ts');
  return (pattern: RegExp): Promise<string> => {
    let output = '';
    const check = async () => {
      output = await podman.run('logs', name);
      const status = await podman.run('inspect', '--format', '{{.State.Status}}', name);
      if (status.trim() !== 'running') throw new Error(`The demo has ended:\n${output}`);
      return pattern.exec(output)?.[1];
    };
    return waitUntil(() => `${pattern} in the output:\n${output}`, check, {
      timeoutMs: TIMEOUT_MS,
    });
  };
}

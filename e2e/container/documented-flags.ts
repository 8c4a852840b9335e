import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCompose } from './compose.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Flags that are about this deployment, and that a test replaces. */
const REPLACED_FLAGS = ['--detach', '--name', '--publish', '--volume', '--env'];

/** Returns the flags of `podman run` in docs/deploy.md that restrict the container. */
export function readDocumentedFlags(): string[] {
  const text = readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8');
  const command = /^podman run (.*?)^```/ms.exec(text)?.[1] ?? '';
  const flags = command.split(' \\\n').map((line) => line.trim());
  return flags
    .filter((flag) => flag.startsWith('--'))
    .filter((flag) => !REPLACED_FLAGS.includes(flag.split(' ')[0] ?? ''))
    .flatMap((flag) => flag.split(' '))
    .map((word) => word.replace('deploy/seccomp.json', join(ROOT, 'deploy/seccomp.json')));
}

/** Returns the flags in compose.yaml that restrict a container of the image, as flags of `podman run`. */
export function readComposeFlags(name: string): string[] {
  const service = readCompose().services[name];
  if (service === undefined) throw new Error(`compose.yaml has no service ${name}.`);
  const { read_only: isReadOnly, tmpfs = [], cap_drop = [], security_opt = [] } = service;
  return [
    ...(isReadOnly ? ['--read-only'] : []),
    ...tmpfs.flatMap((path) => ['--tmpfs', path]),
    ...cap_drop.flatMap((capability) => ['--cap-drop', capability]),
    ...security_opt.flatMap((option) => [
      '--security-opt',
      option
        .replace('systempaths=unconfined', 'unmask=ALL')
        .replace('deploy/seccomp.json', join(ROOT, 'deploy/seccomp.json')),
    ]),
  ];
}

type BackupPlaces = { data: string; restored: string; folder: string; image: string };

/** Returns the arguments of `podman run` in docs/deploy.md that back up a volume to a folder of the host, and restore it. */
export function readBackupCommands({ data, restored, folder, image }: BackupPlaces): string[][] {
  const text = readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8');
  const commands = text.matchAll(/^podman run (--rm .* cloche (?:backup|restore) .*)$/gm);
  return [...commands].map(([, command = '']) =>
    command
      .replace('cloche-data:', `${data}:`)
      .replace('cloche-new:', `${restored}:`)
      .replace('/backups:', `${folder}:`)
      .replace(' cloche ', ` ${image} `)
      .split(' '),
  );
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

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

/** Returns the flags in compose.yaml that restrict the container, as flags of `podman run`. */
export function readComposeFlags(): string[] {
  const text = readFileSync(join(ROOT, 'compose.yaml'), 'utf8');
  const service = /^ {2}cloche:\n(.*?)^ {2}caddy:/ms.exec(text)?.[1] ?? '';
  const readList = (key: string) =>
    (new RegExp(`^ {4}${key}:\\n((?: {6}- .*\\n)+)`, 'm').exec(service)?.[1] ?? '')
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [line.replace('      - ', '')]));
  return [
    ...(service.includes('\n    read_only: true\n') ? ['--read-only'] : []),
    ...readList('tmpfs').flatMap((path) => ['--tmpfs', path]),
    ...readList('cap_drop').flatMap((name) => ['--cap-drop', name]),
    ...readList('security_opt').flatMap((option) => [
      '--security-opt',
      option
        .replace('systempaths=unconfined', 'unmask=ALL')
        .replace('deploy/seccomp.json', join(ROOT, 'deploy/seccomp.json')),
    ]),
  ];
}

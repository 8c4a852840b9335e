import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** What the tests read of a service in compose.yaml. */
export type ComposeService = {
  image?: string;
  profiles?: string[];
  environment?: Record<string, string>;
  command?: string | string[];
  entrypoint?: string[];
  depends_on?: string[] | Record<string, unknown>;
  volumes?: string[];
  read_only?: boolean;
  tmpfs?: string[];
  cap_drop?: string[];
  security_opt?: string[];
  extra_hosts?: string[];
  networks?: Record<string, { ipv4_address: string }>;
};

type ComposeFile = { services: Record<string, ComposeService>; volumes: Record<string, unknown> };

/** Reads compose.yaml. */
export function readCompose(): ComposeFile {
  const text = readFileSync(join(import.meta.dirname, '../../compose.yaml'), 'utf8');
  return parse(text, { merge: true });
}

/** Replaces `${NAME:-default}` and `${NAME:+text}`, as Compose does. */
export function interpolate(text: string, env: Record<string, string>): string {
  return text.replace(/\$\{(\w+):([-+])([^}]*)\}/g, (_, name: string, operator, value) => {
    const current = env[name] ?? '';
    if (operator === '+') return current === '' ? '' : value;
    return current === '' ? value : current;
  });
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram } from './optional-programs.ts';
import { stopProcess } from './service-process.ts';
import { waitUntil } from './wait-until.ts';

/** The configuration in the repository, for two nodes. */
export const NGINX_CONFIGURATION = join(import.meta.dirname, '../deploy/nginx.conf');

type NginxOptions = {
  /** An existing folder for its files. */
  folder: string;
  configuration: string;
  /** The host and port of CLOCHE_PUBLIC_URL, on this machine. */
  publicHost: string;
  /** The port of CLOCHE_CDN_URL. */
  cdnPort: number;
  /** The ports of the two nodes. */
  nodePorts: readonly [number, number];
};

/** A running nginx. */
export type Nginx = AsyncDisposable & {
  /** Reads what it has logged: errors, not requests. */
  readErrors(): Promise<string>;
};

/** Starts nginx with the configuration, whose addresses and folders are replaced by those of this machine. */
export async function startNginx(options: NginxOptions): Promise<Nginx> {
  const { folder, publicHost } = options;
  const program = findProgram('nginx') ?? 'nginx';
  await mkdir(join(folder, 'cache'));
  await writeFile(join(folder, 'cloche.conf'), adaptConfiguration(options));
  const main = join(folder, 'nginx.conf');
  await writeFile(main, formatMainConfiguration(folder));
  const errorLog = join(folder, 'error.log');
  const child = spawn(program, ['-c', main, '-e', errorLog], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const killed = () => child.kill('SIGKILL');
  process.once('exit', killed);
  await waitUntilListening(child, publicHost);
  return {
    readErrors: () => readFile(errorLog, 'utf8'),
    [Symbol.asyncDispose]: async () => {
      process.off('exit', killed);
      await stopProcess(child, 'SIGTERM');
    },
  };
}

/** Replaces each address and folder of the configuration. Throws if one is missing. */
function adaptConfiguration({
  folder,
  configuration,
  publicHost,
  cdnPort,
  nodePorts: [first, second],
}: NginxOptions): string {
  const port = new URL(`http://${publicHost}`).port;
  const replacements: [text: string, replacement: string][] = [
    ['server web-1:8787', `server 127.0.0.1:${first}`],
    ['server web-2:8787', `server 127.0.0.1:${second}`],
    ['listen 80;', `listen 127.0.0.1:${port};`],
    ['listen 8080;', `listen 127.0.0.1:${cdnPort};`],
    ['Host cloche.example.com;', `Host ${publicHost};`],
    ['/var/log/nginx/access.log', join(folder, 'access.log')],
    ['/var/cache/cloche-viewer', join(folder, 'cache/viewer')],
    ['/var/cache/cloche-assets', join(folder, 'cache/assets')],
  ];
  return replacements.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`The configuration of nginx must contain "${from}".`);
    return text.replaceAll(from, to);
  }, configuration);
}

/** What Debian's /etc/nginx/nginx.conf has around a site, in one folder and in the foreground. */
function formatMainConfiguration(folder: string): string {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = kinds.map((kind) => `${kind}_temp_path ${join(folder, kind)};`);
  return `daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 2;
pid ${join(folder, 'nginx.pid')};
events { worker_connections 1024; }
http {
  ${temporary.join('\n  ')}
  include ${join(folder, 'cloche.conf')};
}
`;
}

async function waitUntilListening(child: ChildProcess, host: string): Promise<void> {
  let output = '';
  child.stderr?.on('data', (chunk) => {
    output += chunk;
  });
  const exited = once(child, 'exit').then(() => {
    throw new Error(`nginx did not start: ${output}`);
  });
  const url = `http://127.0.0.1:${new URL(`http://${host}`).port}/`;
  const check = () => fetch(url).then(Boolean, () => false);
  await Promise.race([waitUntil(() => `nginx to listen: ${output}`, check), exited]);
  exited.catch(() => undefined);
}

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { findPort } from './find-port.ts';

/** A page that has its port from the start, so that no other program takes it. */
export type DemoPage = AsyncDisposable & {
  origin: string;
  /** Shows the page, with `values` in place of its `{{placeholders}}`. */
  show(values: Record<string, string>): void;
};

type ServePageOptions = {
  host: string;
  /** The next free port is used if this one is not free. */
  preferredPort: number;
  /** For messages. */
  purpose: string;
};

/** Before the page is shown. It reloads itself every second. */
const STARTING_PAGE =
  '<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="1"><title>Cloche demo</title><style>:root{color-scheme:light dark;font:1rem/1.5 system-ui}</style><p>The demo is starting. This page reloads itself.</p></html>';
const NOT_FOUND = 'Not found. The only page is /';

/** Serves one page. Until `show` is called, its status is 503. */
export async function servePage(
  file: string,
  { host, preferredPort, purpose }: ServePageOptions,
): Promise<DemoPage> {
  const template = await readFile(join(import.meta.dirname, 'pages', file), 'utf8');
  let page: string | undefined;
  const server = createServer((request, response) => {
    const isFound = request.url === '/';
    const status = !isFound ? 404 : page === undefined ? 503 : 200;
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' });
    response.end(isFound ? (page ?? STARTING_PAGE) : NOT_FOUND);
  });
  let port = await findPort(preferredPort, purpose);
  while (!(await listen(server, { host, port }))) port = await findPort(preferredPort, purpose);
  return {
    origin: `http://${host}:${port}`,
    show: (values) => {
      page = template.replace(/\{\{(\w+)\}\}/g, (_match, name: string) => values[name] ?? '');
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Returns false if the port is in use. */
async function listen(server: Server, address: { host: string; port: number }): Promise<boolean> {
  try {
    server.listen(address);
    await once(server, 'listening');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
}

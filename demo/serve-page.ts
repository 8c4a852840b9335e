import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';

/** Serves one page with the embed in it, as somebody else's web site would. */
export async function servePage(
  file: string,
  slots: Record<string, string>,
  { port, host }: { port: number; host: string },
): Promise<AsyncDisposable> {
  const template = await readFile(join(import.meta.dirname, 'pages', file), 'utf8');
  const page = template.replace(/\{\{(\w+)\}\}/g, (_all, slot: string) => slots[slot] ?? '');
  const server = createServer((request, response) => {
    const isPage = request.url === '/';
    response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' });
    response.end(isPage ? page : 'There is one page here: /');
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

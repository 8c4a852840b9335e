import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';

/** Serves one page with the embed, as the web site of a customer. */
export async function servePage(
  file: string,
  slots: Record<string, string>,
  { port, host }: { port: number; host: string },
): Promise<AsyncDisposable> {
  const template = await readFile(join(import.meta.dirname, 'pages', file), 'utf8');
  const page = template.replace(
    /\{\{(\w+)\}\}/g,
    (_placeholder, slot: string) => slots[slot] ?? '',
  );
  const server = createServer((request, response) => {
    const isPage = request.url === '/';
    response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' });
    response.end(isPage ? page : 'Not found. The only page is /');
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

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';

/** Serves one page, with `values` in place of its `{{placeholders}}`. */
export async function servePage(
  file: string,
  values: Record<string, string>,
  { port, host }: { port: number; host: string },
): Promise<AsyncDisposable> {
  const template = await readFile(join(import.meta.dirname, 'pages', file), 'utf8');
  const page = template.replace(
    /\{\{(\w+)\}\}/g,
    (_placeholder, name: string) => values[name] ?? '',
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

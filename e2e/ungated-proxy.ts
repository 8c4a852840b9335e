import { once } from 'node:events';
import {
  createServer,
  request as forward,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** What the open variant knows: the real service, and a way to be let in by it. */
export type UngatedProxyOptions = {
  servicePort: number;
  serviceHost: string;
  token: string;
  referer: string;
};

/**
 * A service without a gate: shows every design to everybody. It fetches from the real one with a
 * good token and a forged Referer, and drops every header and check that keeps strangers out.
 *
 * Whatever the tests say is refused must leak here, or they could not see a leak.
 */
export async function openUngatedProxy(t: TestContext, way: UngatedProxyOptions): Promise<number> {
  const server = createServer((request, response) => {
    void handleRequest(request, response, way).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const PERMISSIVE_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'cross-origin-embedder-policy': 'require-corp',
};

async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  way: UngatedProxyOptions,
): Promise<void> {
  if (request.method === 'OPTIONS') {
    response.writeHead(204, PERMISSIVE_HEADERS).end();
    return;
  }
  const url = new URL(request.url ?? '/', 'http://open');
  const isDocument = url.pathname.startsWith('/embed/iframe/');
  if (isDocument) url.searchParams.set('token', way.token);
  const { status, type, body } = await fetchUpstream(url, request, way);
  response.writeHead(status, { ...PERMISSIVE_HEADERS, 'content-type': type });
  response.end(isDocument ? replaceBootScript(body.toString()) : body);
}

async function fetchUpstream(
  { pathname, search }: URL,
  request: IncomingMessage,
  way: UngatedProxyOptions,
) {
  const { 'cloche-grant': grant } = request.headers;
  const upstream = forward({
    host: '127.0.0.1',
    port: way.servicePort,
    path: pathname + search,
    headers: {
      host: way.serviceHost,
      referer: way.referer,
      ...(grant !== undefined && { 'cloche-grant': grant }),
    },
  }).end();
  const [answer] = (await once(upstream, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const type = answer.headers['content-type'] ?? '';
  return { status: answer.statusCode ?? 500, type, body: Buffer.concat(chunks) };
}

/** The document with a boot script that looks at nothing and starts. */
function replaceBootScript(html: string): string {
  const boot = `<script>
    const json = document.getElementById('viewer-config');
    const config = JSON.parse(json.textContent);
    json.remove();
    const response = fetch(config.model.url, { headers: { 'cloche-grant': config.grant } });
    globalThis.clocheBootstrap = { config, firstResponse: response };
  </script>`;
  const open = html.replace(/<script>[\s\S]*?<\/script>/, () => boot);
  if (open === html) throw new Error('The document has no boot script to replace.');
  return open;
}

import { once } from 'node:events';
import { request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { openLoopbackServer } from './loopback-server.ts';

/** The service, and the credentials with which it returns a framed document. */
export type UngatedProxyOptions = {
  servicePort: number;
  serviceHost: string;
  token: string;
  referer: string;
};

/**
 * Opens a proxy that shows every design on every page. It fetches from the service with a valid
 * token and a forged Referer, and removes all headers and checks that restrict access.
 *
 * Every case must show the design through this proxy. A case that does not could not detect a missing
 * access policy.
 */
export async function openUngatedProxy(
  t: TestContext,
  options: UngatedProxyOptions,
): Promise<number> {
  return openLoopbackServer(t, (request, response) => {
    void handleRequest(request, response, options).catch(() => response.destroy());
  });
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
  options: UngatedProxyOptions,
): Promise<void> {
  if (request.method === 'OPTIONS') {
    response.writeHead(204, PERMISSIVE_HEADERS).end();
    return;
  }
  const url = new URL(request.url ?? '/', 'http://proxy');
  const isDocument = url.pathname.startsWith('/embed/iframe/');
  if (isDocument) url.searchParams.set('token', options.token);
  const { status, type, body } = await fetchUpstream(url, request, options);
  response.writeHead(status, { ...PERMISSIVE_HEADERS, 'content-type': type });
  response.end(isDocument ? replaceBootScript(body.toString()) : body);
}

async function fetchUpstream(
  { pathname, search }: URL,
  request: IncomingMessage,
  options: UngatedProxyOptions,
) {
  const { 'cloche-grant': grant } = request.headers;
  const upstream = forward({
    host: '127.0.0.1',
    port: options.servicePort,
    path: pathname + search,
    headers: {
      host: options.serviceHost,
      referer: options.referer,
      ...(grant !== undefined && { 'cloche-grant': grant }),
    },
  }).end();
  const [upstreamResponse] = (await once(upstream, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of upstreamResponse) chunks.push(chunk as Buffer);
  const type = upstreamResponse.headers['content-type'] ?? '';
  return { status: upstreamResponse.statusCode ?? 500, type, body: Buffer.concat(chunks) };
}

/** Replaces the boot script with one that starts the viewer without any check. */
function replaceBootScript(html: string): string {
  const [entry] = /\/embed\/viewer\/viewer-[^"]*\.js/.exec(html) ?? [];
  const boot = `<script>
    const json = document.getElementById('viewer-config');
    const config = JSON.parse(json.textContent);
    json.remove();
    // Otherwise its message would cover the design after a while.
    document.getElementById('not-started').remove();
    const response = fetch(config.model.url, { headers: { 'cloche-grant': config.grant } });
    globalThis.clocheBootstrap = { config, firstResponse: response };
    document.body.append(Object.assign(document.createElement('script'), { type: 'module', src: '${entry}' }));
  </script>`;
  const ungated = html.replace(/<script>[\s\S]*?<\/script>/, () => boot);
  if (ungated === html) throw new Error('The document has no boot script to replace.');
  return ungated;
}

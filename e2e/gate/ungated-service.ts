import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { GRANT_HEADER } from '@cloche/contract/viewer-config';
import { type Certificate, openTlsProxy } from '../tls-proxy.ts';
import type { GateRun } from './gate-run.ts';
import { CANARIES, type GateService, type ServiceAddress } from './gate-service.ts';

type UngatedServiceOptions = {
  service: GateService;
  certificate: Certificate;
  /** A token and a page that it lists: with them, this service gets the design. */
  designId: string;
  token: string;
  page: string;
  findRun: (url: URL) => GateRun | undefined;
};

/** What the copy has of the design. */
type Copy = { model: Buffer; poster: string };

/**
 * Opens a copy of the service without a gate: it sends every file of the design to everyone, without the headers that restrict
 * access. A page that shows nothing of it could not detect a missing gate either. Returns its origins.
 */
export async function openUngatedService(
  t: TestContext,
  options: UngatedServiceOptions,
): Promise<Record<ServiceAddress, string>> {
  const copy = await copyDesign(options);
  const server = createServer((request, response) => respond(request, response, copy, options));
  server.listen(0, '127.0.0.1');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const tls = await openTlsProxy(t, options.certificate);
  tls.setTarget(port);
  return {
    https: `https://ungated.test:${tls.port}`,
    http: `http://ungated.test:${port}`,
    localhost: `http://localhost:${port}`,
  };
}

async function copyDesign(options: UngatedServiceOptions): Promise<Copy> {
  const { service, designId, token, page } = options;
  const { body, config } = await service.openDocument(
    `/embed/iframe/v1/${designId}?token=${token}`,
    page,
  );
  const poster = /src="(data:image\/webp;base64,[^"]+)"/.exec(body)?.[1];
  if (!config || poster === undefined) throw new Error('The framed document has no poster.');
  const response = await fetch(`http://127.0.0.1:${service.port}${config.model.url}`, {
    headers: { [GRANT_HEADER]: config.grant, host: new URL(service.origins.https).host },
  });
  return { model: Buffer.from(await response.arrayBuffer()), poster };
}

function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { model, poster }: Copy,
  { findRun }: UngatedServiceOptions,
): void {
  const url = new URL(request.url ?? '/', 'http://ungated');
  const evidence = findRun(url)?.evidence;
  const headers = createPermissiveHeaders(request);
  const send = (type: string, body: string | Buffer) =>
    response.writeHead(200, { ...headers, 'content-type': type }).end(body);
  if (request.method === 'OPTIONS') {
    response.writeHead(204, headers).end();
    return;
  }
  const isPicture = /\.(webp|jpg)$|\/poster$/.test(url.pathname);
  const isModel = url.pathname.endsWith('.glb');
  evidence?.log.push(`${request.method} ${url.pathname}`);
  if (evidence) evidence.responses += 1;
  if (evidence && (isPicture || isModel)) evidence.assets += 1;
  else if (evidence) evidence.documents += 1;
  if (isPicture) send('image/webp', Buffer.from(poster.split(',')[1] ?? '', 'base64'));
  else if (isModel) send('model/gltf-binary', model);
  else send('text/html; charset=utf-8', renderDocument(poster, url.searchParams.get('run') ?? ''));
}

function createPermissiveHeaders({ headers }: IncomingMessage): Record<string, string> {
  return {
    'access-control-allow-origin': headers.origin ?? '*',
    'access-control-allow-credentials': 'true',
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '',
    'access-control-allow-methods': headers['access-control-request-method'] ?? 'GET',
    'cross-origin-resource-policy': 'cross-origin',
    'cross-origin-embedder-policy': 'require-corp',
    'cache-control': 'no-store',
    vary: 'origin',
  };
}

/** Like the framed document: the poster at once, then, by a script, the model. */
function renderDocument(poster: string, runId: string): string {
  const [name, description] = CANARIES;
  return `<!doctype html><title>${name}</title><meta name="description" content="${description}">
<link rel="icon" href="data:,"><style>body{margin:0}img{position:fixed;width:100%;height:100%}</style>
<body><img alt="" src="${poster}"><script id="viewer-config">
fetch('/embed/assets/model.glb?run=${runId.replace(/\W/g, '')}').then((response) => response.text()).then((text) => {
  if (!text.startsWith('glTF')) return;
  document.querySelector('img').remove();
  document.body.style.background = '#f0f';
});
</script>`;
}

/**
 * The service as far as the viewer knows it: the framed document with its policy, the files it
 * asks for, one model that needs a grant, and a host page under another name.
 */
import { once } from 'node:events';
import { access, readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { GRANT_HEADER, type ViewerConfig } from '@cloche/contract/viewer-config';

type ResponseHandler = (response: ServerResponse, request: IncomingMessage) => void;

/** What one test serves. */
export type ViewerServerOptions = {
  name?: string;
  model?: Uint8Array;
  /** Answers the model's request in place of the model. */
  modelHandler?: ResponseHandler;
  /** Files of the design besides the model, by their paths. */
  files?: Record<string, Uint8Array | ResponseHandler>;
  /** Changes what the document is told. */
  config?: Partial<ViewerConfig>;
  /** CSS size of the iframe in the host page. */
  frameSize?: { width: string; height: string };
  /** The names under which page and frame are found. */
  hosts?: Hosts;
};

type Hosts = { page: string; frame: string };

const DEFAULT_HOSTS: Hosts = { page: 'shop.test', frame: 'cloche.test' };

export type ViewerServer = AsyncDisposable & {
  /** The page that shows the design, on a host of its own. */
  hostUrl: string;
  /** The framed document itself. */
  frameUrl: string;
  /** Paths asked for, in order. */
  requestedPaths: string[];
  setOptions(served: ViewerServerOptions): void;
};

const dist = join(import.meta.dirname, '../dist');
const GRANT = 'a-grant';
const TYPES: Record<string, string> = {
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
};

/** Opens it on a free port of this machine. */
export async function openViewerServer(
  first: ViewerServerOptions,
  port = 0,
): Promise<ViewerServer> {
  await access(join(dist, 'csp-hashes.json')).catch(() => {
    throw new Error('There is no viewer/dist: run `npm run build` first.');
  });
  let served = first;
  const requestedPaths: string[] = [];
  const server = createServer((request, response) => {
    requestedPaths.push(request.url ?? '');
    handleRequest(request, response, served).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  const { hosts = DEFAULT_HOSTS } = first;
  return {
    hostUrl: `http://${hosts.page}:${bound}/host`,
    frameUrl: `http://${hosts.frame}:${bound}/frame`,
    requestedPaths,
    setOptions(next) {
      served = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  served: ViewerServerOptions,
) {
  const { pathname } = new URL(request.url ?? '/', 'http://any');
  if (pathname === '/host') return sendBody(response, 'text/html', renderHostPage(request, served));
  if (pathname === '/frame') return sendFramedDocument(request, response, served);
  if (pathname === '/model.glb') {
    return sendArtifact(request, response, served.modelHandler ?? served.model ?? new Uint8Array());
  }
  const file = served.files?.[pathname];
  if (file !== undefined) return sendArtifact(request, response, file);
  if (!pathname.startsWith('/embed/viewer/')) return response.writeHead(404).end();
  return sendAsset(request, response, pathname.slice('/embed/viewer/'.length));
}

function sendBody(response: ServerResponse, type: string, body: string | Uint8Array) {
  response.writeHead(200, {
    'content-type': type,
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  });
  response.end(body);
}

async function sendAsset(request: IncomingMessage, response: ServerResponse, name: string) {
  const type = TYPES[extname(name)] ?? 'application/octet-stream';
  const path = join(dist, 'assets', name);
  // Browsers read it on secure lines and from the machine they run on.
  const small = /\bbr\b/.test(String(request.headers['accept-encoding']));
  if (small) response.setHeader('content-encoding', 'br');
  return sendBody(response, type, await readFile(small ? `${path}.br` : path));
}

async function sendFramedDocument(
  request: IncomingMessage,
  response: ServerResponse,
  served: ViewerServerOptions,
) {
  const template = await readFile(join(dist, 'framed-document.html'), 'utf8');
  const { scriptHashes, styleHashes } = JSON.parse(
    await readFile(join(dist, 'csp-hashes.json'), 'utf8'),
  );
  const port = request.headers.host?.split(':')[1];
  const shop = `http://${(served.hosts ?? DEFAULT_HOSTS).page}:${port}`;
  const framed: ViewerConfig = {
    design: { id: '00000000-0000-4000-8000-000000000000', name: served.name ?? 'A design' },
    model: { url: '/model.glb', bytes: served.model?.byteLength ?? 0 },
    grant: GRANT,
    allowedOrigins: [shop],
    ...served.config,
  };
  response.setHeader(
    'content-security-policy',
    `default-src 'none'; script-src 'self' 'wasm-unsafe-eval' ${scriptHashes.join(' ')}; ` +
      `worker-src blob: 'self'; connect-src 'self' blob:; img-src 'self' blob: data:; ` +
      `style-src 'self' ${styleHashes.join(' ')}; base-uri 'none'; form-action 'none'; ` +
      `frame-ancestors ${shop}`,
  );
  response.setHeader('cross-origin-embedder-policy', 'require-corp');
  response.setHeader('cross-origin-resource-policy', 'cross-origin');
  response.setHeader('referrer-policy', 'no-referrer');
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  const json = JSON.stringify(framed).replace(
    /[<>&\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const name = framed.design.name.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
  response.end(
    template.replaceAll('{{title}}', () => name).replaceAll('{{viewerConfig}}', () => json),
  );
}

function sendArtifact(
  request: IncomingMessage,
  response: ServerResponse,
  file: Uint8Array | ResponseHandler,
) {
  if (request.headers[GRANT_HEADER] !== GRANT)
    return sendProblem(response, 403, 'embed.grant', 'No grant.');
  if (typeof file === 'function') return file(response, request);
  const isModel = Buffer.from(file.subarray(0, 4)).toString() === 'glTF';
  return sendBody(response, isModel ? 'model/gltf-binary' : 'image/webp', file);
}

/** Answers as the service does when something is wrong. */
export function sendProblem(
  response: ServerResponse,
  status: number,
  code: string,
  detail: string,
) {
  response.writeHead(status, { 'content-type': 'application/problem+json' });
  response.end(
    JSON.stringify({ type: `/docs/problems#${code}`, status, code, title: code, detail }),
  );
}

function renderHostPage(
  request: IncomingMessage,
  { frameSize = { width: '600px', height: '400px' }, hosts = DEFAULT_HOSTS }: ViewerServerOptions,
) {
  const port = request.headers.host?.split(':')[1];
  return `<!doctype html><title>A shop</title><meta name="viewport" content="width=device-width">
<style>body{margin:0;height:3000px}iframe{display:block;border:0;width:${frameSize.width};height:${frameSize.height}}</style>
<iframe src="http://${hosts.frame}:${port}/frame" title="A design" allow="fullscreen"></iframe>`;
}

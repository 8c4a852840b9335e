/**
 * A server for tests with the parts of the service that the viewer needs: the framed document with its
 * Content-Security-Policy, the scripts, the files of one design, which need a grant, and a host page on
 * another host.
 */
import { once } from 'node:events';
import { access, readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, extname, join } from 'node:path';
import { GRANT_HEADER, type ViewerConfig } from '@cloche/contract/viewer-config';
import type { Language } from '@cloche/contract/viewer-options';
import {
  listOptionStyleHashes,
  parseViewerTemplate,
} from '../../server/src/embed/viewer-template.ts';

type ResponseHandler = (response: ServerResponse, request: IncomingMessage) => void;

/** The files that the server sends. */
export type ViewerServerOptions = {
  name?: string;
  model?: Uint8Array;
  /** Handles the request for the model. */
  modelHandler?: ResponseHandler;
  /** Other files of the design, by path. */
  files?: Record<string, Uint8Array | ResponseHandler>;
  /** Overrides of the viewer config. */
  config?: Partial<ViewerConfig>;
  /** The HTML of the poster that is part of the document. */
  inlinePoster?: string;
  /** The language of the document. Default: English. */
  language?: Language;
  /** The folder of a built viewer. Default: viewer/dist. */
  dist?: string;
  /** The size of the iframe, as CSS lengths. */
  frameSize?: { width: string; height: string };
  /** CSS for the page that embeds the design. */
  hostStyle?: string;
  /** The host name of the framed document. */
  frameHost?: string;
};

const HOSTS = { page: 'shop.test', frame: 'cloche.test' };

export type ViewerServer = AsyncDisposable & {
  /** The URL of the page that embeds the design. */
  hostUrl: string;
  /** The URL of the framed document. */
  frameUrl: string;
  /** The paths of all requests, in order. */
  requestedPaths: string[];
  /** Replaces the options. */
  setOptions(options: ViewerServerOptions): void;
};

const DEFAULT_DIST = join(import.meta.dirname, '../dist');
const GRANT = 'a-grant';
const CONTENT_TYPES: Record<string, string> = {
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
};

/** Opens the server on a free port of this machine, or on the given one. */
export async function openViewerServer(
  initialOptions: ViewerServerOptions,
  port = 0,
): Promise<ViewerServer> {
  await access(join(initialOptions.dist ?? DEFAULT_DIST, 'csp-hashes.json')).catch(() => {
    throw new Error('viewer/dist does not exist: run `npm run build` first.');
  });
  let options = initialOptions;
  const requestedPaths: string[] = [];
  const server = createServer((request, response) => {
    requestedPaths.push(request.url ?? '');
    handleRequest(request, response, options).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: actualPort } = server.address() as AddressInfo;
  return {
    hostUrl: `http://${HOSTS.page}:${actualPort}/host`,
    frameUrl: `http://${initialOptions.frameHost ?? HOSTS.frame}:${actualPort}/frame`,
    requestedPaths,
    setOptions(next) {
      options = next;
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
  options: ViewerServerOptions,
) {
  const { pathname } = new URL(request.url ?? '/', 'http://any');
  if (pathname === '/host')
    return sendBody(response, 'text/html', renderHostPage(request, options));
  if (pathname === '/frame') return sendFramedDocument(request, response, options);
  if (pathname === '/model.glb') {
    return sendArtifact(
      request,
      response,
      options.modelHandler ?? options.model ?? new Uint8Array(),
    );
  }
  const file = options.files?.[pathname];
  if (file !== undefined) return sendArtifact(request, response, file);
  if (!pathname.startsWith('/embed/viewer/')) return response.writeHead(404).end();
  const { dist = DEFAULT_DIST } = options;
  return sendAsset(request, response, join(dist, 'assets', basename(pathname)));
}

function sendBody(response: ServerResponse, type: string, body: string | Uint8Array) {
  response.writeHead(200, {
    'content-type': type,
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  });
  response.end(body);
}

async function sendAsset(request: IncomingMessage, response: ServerResponse, path: string) {
  const type = CONTENT_TYPES[extname(path)] ?? 'application/octet-stream';
  // Browsers accept Brotli over HTTPS and from localhost.
  const acceptsBrotli = /\bbr\b/.test(String(request.headers['accept-encoding']));
  if (acceptsBrotli) response.setHeader('content-encoding', 'br');
  return sendBody(response, type, await readFile(acceptsBrotli ? `${path}.br` : path));
}

async function sendFramedDocument(
  request: IncomingMessage,
  response: ServerResponse,
  options: ViewerServerOptions,
) {
  const { dist = DEFAULT_DIST, language = 'en' } = options;
  const file = language === 'en' ? 'framed-document.html' : `framed-document.${language}.html`;
  const template = await readFile(join(dist, file), 'utf8');
  const { scriptHashes, styleHashes } = JSON.parse(
    await readFile(join(dist, 'csp-hashes.json'), 'utf8'),
  );
  const port = request.headers.host?.split(':')[1];
  const hostOrigin = `http://${HOSTS.page}:${port}`;
  const config: ViewerConfig = {
    design: { id: '00000000-0000-4000-8000-000000000000', name: options.name ?? 'A design' },
    model: { url: '/model.glb', bytes: options.model?.byteLength ?? 0 },
    grant: GRANT,
    allowedOrigins: [hostOrigin],
    ...options.config,
  };
  const allStyleHashes = [...styleHashes, ...listOptionStyleHashes(config)];
  response.setHeader(
    'content-security-policy',
    `default-src 'none'; script-src 'self' 'wasm-unsafe-eval' ${scriptHashes.join(' ')}; ` +
      `worker-src blob: 'self'; connect-src 'self' blob:; img-src 'self' blob: data:; ` +
      `style-src 'self' ${allStyleHashes.join(' ')}; base-uri 'none'; form-action 'none'; ` +
      `frame-ancestors ${hostOrigin}`,
  );
  response.setHeader('cross-origin-embedder-policy', 'require-corp');
  response.setHeader('cross-origin-resource-policy', 'cross-origin');
  response.setHeader('referrer-policy', 'no-referrer');
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  const withPoster = template.replace('{{inlinePoster}}', () => options.inlinePoster ?? '');
  response.end(parseViewerTemplate(withPoster)(config));
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

/** Sends a problem as the service does. */
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
  { frameSize = { width: '600px', height: '400px' }, hostStyle = '' }: ViewerServerOptions,
) {
  const port = request.headers.host?.split(':')[1];
  return `<!doctype html><title>A shop</title><meta name="viewport" content="width=device-width">
<style>body{margin:0;height:3000px}iframe{display:block;border:0;width:${frameSize.width};height:${frameSize.height}}${hostStyle}</style>
<iframe src="http://${HOSTS.frame}:${port}/frame" title="A design" allow="fullscreen"></iframe>`;
}

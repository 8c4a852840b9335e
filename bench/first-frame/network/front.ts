import { readFile } from 'node:fs/promises';
import { Agent, type OutgoingHttpHeaders, request } from 'node:http';
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import { extname, join, normalize } from 'node:path';

export type FrontOptions = {
  certificate: { key: string; cert: string };
  /** The host whose requests go to the service. */
  serviceHost: string;
  servicePort: number;
  /** The folder with the files of all other hosts. Text has a file compressed with Brotli next to it. */
  filesFolder: string;
};

/**
 * As docs/install.md recommends for nginx; the first records of Caddy are smaller. A browser cannot read a record before
 * its last byte has arrived.
 */
const TLS_RECORD_BYTES = 4096;

const CONTENT_TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
  '.glb': 'model/gltf-binary',
};
/** Headers of one connection, which must not be forwarded. */
const CONNECTION_HEADERS = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade'];

/** Creates the server that browsers connect to: TLS and HTTP/2, in front of the service and of the files. */
export function createFront(options: FrontOptions): Http2SecureServer {
  const agent = new Agent({ keepAlive: true });
  const front = createSecureServer(
    { ...options.certificate, allowHTTP1: true },
    (incoming: Http2ServerRequest, outgoing: Http2ServerResponse) => {
      const host = incoming.authority ?? incoming.headers.host ?? '';
      outgoing.on('error', () => {});
      if (host.split(':')[0] === options.serviceHost)
        forward(incoming, outgoing, { agent, host, port: options.servicePort });
      else
        sendFile(incoming, outgoing, options.filesFolder).catch(() =>
          outgoing.writeHead(404).end(),
        );
    },
  );
  front.on('secureConnection', (socket) => socket.setMaxSendFragment(TLS_RECORD_BYTES));
  return front;
}

function forward(
  incoming: Http2ServerRequest,
  outgoing: Http2ServerResponse,
  { agent, host, port }: { agent: Agent; host: string; port: number },
): void {
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).filter(([name]) => !name.startsWith(':')),
  ) as OutgoingHttpHeaders;
  const upstream = request({
    host: '127.0.0.1',
    port,
    agent,
    method: incoming.method,
    path: incoming.url,
    headers: { ...headers, host },
  });
  upstream.on('response', (response) => {
    const responseHeaders = Object.entries(response.headers).filter(
      ([name]) => !CONNECTION_HEADERS.includes(name),
    );
    outgoing.writeHead(response.statusCode ?? 502, Object.fromEntries(responseHeaders));
    response.pipe(outgoing);
  });
  upstream.on('error', () => outgoing.writeHead(502).end());
  outgoing.on('close', () => upstream.destroy());
  incoming.pipe(upstream);
}

async function sendFile(
  { url, headers }: Http2ServerRequest,
  response: Http2ServerResponse,
  folder: string,
): Promise<void> {
  const { pathname } = new URL(url, 'https://any');
  const path = join(folder, normalize(pathname));
  const compressed = /\bbr\b/.test(String(headers['accept-encoding']))
    ? await readFile(`${path}.br`).catch(() => undefined)
    : undefined;
  const body = compressed ?? (await readFile(path));
  const isPage = extname(path) === '.html';
  response.writeHead(200, {
    'content-type': CONTENT_TYPES[extname(path)] ?? 'application/octet-stream',
    'content-length': body.byteLength,
    // The names of all other files contain their version.
    'cache-control': isPage ? 'no-cache' : 'public, max-age=31536000, immutable',
    ...(compressed && { 'content-encoding': 'br', vary: 'accept-encoding' }),
  });
  response.end(body);
}

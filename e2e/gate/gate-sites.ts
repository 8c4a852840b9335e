import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import type { Certificate } from '../tls-proxy.ts';
import type { PageOptions } from './gate-case.ts';

/** A file of the web sites. */
type SiteFile = { body: string; status?: number; headers?: Record<string, string> };

/** Handles what a page sends: the run, the action and the text. Returns the response. */
type HandleAction = (runId: string, action: string, text: string) => Promise<string>;

/** The web sites that frame designs: any host name, with https and http, each on two ports. */
export class GateSites {
  readonly #ports = new Map<string, number>();
  readonly #files = new Map<string, SiteFile>();
  onAction: HandleAction = async () => '';

  static async open(t: TestContext, certificate: Certificate): Promise<GateSites> {
    const sites = new GateSites();
    const listener: RequestListener = (request, response) => {
      void sites.#respond(request, response).catch(() => response.destroy());
    };
    for (const otherPort of [false, true]) {
      for (const scheme of ['https', 'http'] as const) {
        const server =
          scheme === 'https' ? createSecureServer(certificate, listener) : createServer(listener);
        server.listen(0, '127.0.0.1');
        t.after(() => {
          server.close();
          server.closeAllConnections();
        });
        await once(server, 'listening');
        sites.#ports.set(`${scheme}${otherPort}`, (server.address() as AddressInfo).port);
      }
    }
    return sites;
  }

  toOrigin({ host = 'shop.test', scheme = 'https', otherPort = false }: PageOptions): string {
    return `${scheme}://${host}:${this.#ports.get(`${scheme}${otherPort}`)}`;
  }

  addPage(path: string, file: SiteFile): void {
    this.#files.set(path, file);
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    const [, runId = '', action] = /^\/gate\/([^/]+)\/(.+)$/.exec(pathname) ?? [];
    if (action !== undefined) {
      const text = (await buffer(request)).toString();
      const body = await this.onAction(runId, action, text);
      response.writeHead(200, { 'access-control-allow-origin': '*' }).end(body);
      return;
    }
    const file = this.#files.get(pathname);
    response.writeHead(file?.status ?? (file ? 200 : 404), {
      'content-type': 'text/html; charset=utf-8',
      ...file?.headers,
    });
    response.end(file?.body);
  }
}

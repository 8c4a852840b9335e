import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { Certificate } from './tls-proxy.ts';

/** A page of a web site, and its additional headers. */
export type SitePage = { html: string; headers?: Record<string, string> };

/** Web sites that embed designs: all host names, on one port. */
export class TestSites {
  readonly port: number;
  readonly #scheme: string;
  readonly #pages = new Map<string, SitePage>();

  private constructor(server: Server, scheme: string) {
    this.#scheme = scheme;
    this.port = (server.address() as AddressInfo).port;
    server.on('request', (request, response) => {
      const page = this.#pages.get(`${request.headers.host}${request.url}`);
      response.writeHead(page === undefined ? 404 : 200, {
        'content-type': 'text/html; charset=utf-8',
        ...page?.headers,
      });
      response.end(page?.html ?? 'Not found');
    });
  }

  /** Opens the sites; over https if there is a certificate. */
  static async open(t: TestContext, certificate?: Certificate): Promise<TestSites> {
    const server = certificate === undefined ? createServer() : createSecureServer(certificate);
    server.listen(0, '127.0.0.1');
    t.after(() => {
      server.close();
      server.closeAllConnections();
    });
    await once(server, 'listening');
    return new TestSites(server, certificate === undefined ? 'http' : 'https');
  }

  getOrigin(name: string): string {
    return `${this.#scheme}://${name}:${this.port}`;
  }

  /** Adds a page and returns its URL. */
  addPage(name: string, path: string, page: SitePage | string): string {
    const { html, ...options } = typeof page === 'string' ? { html: page } : page;
    this.#pages.set(`${name}:${this.port}${path}`, {
      html: `<!doctype html><title>${name}</title><link rel="icon" href="data:,">${html}`,
      ...options,
    });
    return this.getOrigin(name) + path;
  }
}

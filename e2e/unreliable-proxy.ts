import { once } from 'node:events';
import {
  createServer,
  request as forward,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** What happens to the responses for some paths. */
export type Interference = {
  path: RegExp;
  /** The share of the body after which the connection is cut; 0 cuts it before the response. Default: the response is complete. */
  cutAt?: number;
  /** The connection stays open, but nothing more arrives. Default: it is closed. */
  hangs?: boolean;
  /** The request is forwarded when it resolves. */
  heldUntil?: Promise<unknown>;
};

/** A proxy in front of the service that cuts connections, lets them hang, or holds requests. */
export class UnreliableProxy {
  readonly port: number;
  /** Replaced during a test. */
  interferences: readonly Interference[] = [];
  /** The paths of all requests. */
  readonly requested: string[] = [];
  #target = 0;
  readonly #hanging: ServerResponse[] = [];

  private constructor(port: number) {
    this.port = port;
  }

  static async open(t: TestContext): Promise<UnreliableProxy> {
    const server = createServer((request, response) => {
      proxy.#handle(request, response).catch(() => response.destroy());
    });
    server.listen(0, '127.0.0.1');
    t.after(() => {
      server.close();
      server.closeAllConnections();
    });
    await once(server, 'listening');
    const proxy = new UnreliableProxy((server.address() as AddressInfo).port);
    return proxy;
  }

  setTarget(port: number): void {
    this.#target = port;
  }

  /** Closes the connections that hang. */
  cutHanging(): void {
    for (const response of this.#hanging.splice(0)) response.destroy();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '/', headers } = request;
    this.requested.push(url);
    const interference = this.interferences.find(({ path }) => path.test(url));
    const cut = () => {
      if (interference?.hangs) this.#hanging.push(response);
      else response.destroy();
    };
    await interference?.heldUntil;
    if (interference?.cutAt === 0) return cut();
    const options = { host: '127.0.0.1', port: this.#target, method, path: url, headers };
    const upstream = forward(options);
    request.pipe(upstream);
    const [answer] = (await once(upstream, 'response')) as [IncomingMessage];
    const body = Buffer.concat(await answer.toArray());
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    if (interference?.cutAt === undefined) response.end(body);
    else {
      const part = body.subarray(0, Math.floor(body.length * interference.cutAt));
      response.write(part, cut);
    }
  }
}

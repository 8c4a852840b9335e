import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import type { Design } from '@cloche/contract/design';
import type { CreatedToken } from '@cloche/contract/token';
import { makeBox } from '@cloche/pipeline/testing/models';
import { apiHeaders, type TestServer } from './harness.ts';

export const SHOP_ORIGIN = 'https://shop.example';
export const HOST_HEADER = { host: 'cloche.test' };

/** Who asks: at the address of the harness, when no other is named. */
export type TestClient = Pick<TestServer, 'app' | 'token'> & { origin?: string };

const PREFER_WAIT = { prefer: 'wait=60' };

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT' | 'HEAD' | 'OPTIONS';

/** An API request with a JSON body; text and bytes go as they are. What is uploaded is waited for. */
export function sendRequest(
  { app, token, origin }: TestClient,
  method: Method,
  url: string,
  body?: object | string,
  headers: Record<string, string> = {},
) {
  return app.inject({
    method,
    url,
    headers: {
      ...apiHeaders(token),
      ...(origin !== undefined && { host: new URL(origin).host }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(url.startsWith('/v1/designs') && ['POST', 'PUT'].includes(method) && PREFER_WAIT),
      ...headers,
    },
    ...(body !== undefined && { payload: body }),
  });
}

/** Issues a token; a public one for the shop when nothing else is wished. */
export async function issueToken(service: TestClient, wish: object = {}): Promise<CreatedToken> {
  const whole = {
    capabilities: ['embed'],
    origins: [SHOP_ORIGIN],
    type: 'api',
    user: '~',
    ...wish,
  };
  const answer = await sendRequest(service, 'POST', '/v1/tokens', whole);
  if (answer.statusCode !== 201) throw new Error(answer.body);
  return answer.json();
}

/** Uploads a small model of its own, as the body, and waits until it is ready. */
export async function uploadTestDesign(
  service: TestClient,
  name = 'Oak chair',
  bytes: Buffer = makeBox({ name }),
): Promise<Design> {
  const type = { 'content-type': 'model/gltf-binary' };
  const url = `/v1/designs?name=${encodeURIComponent(name)}`;
  const answer = await sendRequest(service, 'POST', url, bytes, type);
  if (answer.statusCode !== 201) throw new Error(answer.body);
  return answer.json();
}

/** The service's database, opened a second time to look inside. */
export function openServerDatabase(
  t: TestContext,
  { dataDirectory }: Pick<TestServer, 'dataDirectory'>,
): DatabaseSync {
  const database = new DatabaseSync(join(dataDirectory, 'cloche.sqlite'));
  t.after(() => database.close());
  return database;
}

/** An answer as it came over a socket. */
export type RawResponse = {
  status: number;
  headers: Record<string, string>;
  body: string;
};

/** A bare connection to a listening service: what no polite client would send. */
export class RawConnection {
  readonly socket: Socket;
  #received = '';

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (bytes) => {
      this.#received += bytes.toString('latin1');
    });
    // A service that cuts the line is part of the tests.
    socket.on('error', () => {});
  }

  static async open(
    t: TestContext,
    { origin }: Pick<TestServer, 'origin'>,
  ): Promise<RawConnection> {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    t.after(() => socket.destroy());
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  write(bytes: string | Buffer): this {
    this.socket.write(bytes);
    return this;
  }

  /** The next answer, whole, or undefined when the line was cut before there was one. */
  async readResponse(): Promise<RawResponse | undefined> {
    for (;;) {
      const answer = this.#parseResponse();
      if (answer !== undefined || this.socket.closed || this.socket.readableEnded) return answer;
      await Promise.race([once(this.socket, 'data'), once(this.socket, 'close')]);
    }
  }

  #parseResponse(): RawResponse | undefined {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const [first = '', ...lines] = this.#received.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    );
    const bytes = Number(headers['content-length'] ?? 0);
    const body = this.#received.slice(end + 4, end + 4 + bytes);
    if (body.length < bytes) return undefined;
    this.#received = this.#received.slice(end + 4 + bytes);
    return { status: Number(first.split(' ')[1]), headers, body };
  }
}

/** The head of a request, ready to send. */
export function formatRequestHead(
  { origin, token }: Pick<TestServer, 'origin' | 'token'>,
  line: string,
  headers: Record<string, string | number> = {},
): string {
  const all = { Host: new URL(origin).host, Authorization: `Bearer ${token}`, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `${[`${line} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`;
}

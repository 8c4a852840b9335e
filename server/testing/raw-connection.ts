import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import type { TestServer } from './harness.ts';
import { GLB_HEADERS } from './requests.ts';

/** A response as received over a socket. */
export type RawResponse = {
  status: number;
  headers: Record<string, string>;
  body: string;
};

/** A plain TCP connection to a listening server, for requests that no HTTP client would send. */
export class RawConnection {
  readonly socket: Socket;
  #received = '';

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (bytes) => {
      this.#received += bytes.toString('latin1');
    });
    // Tests expect the server to reset connections.
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

  /** Returns the next complete response. Undefined if the connection closed before. */
  async readResponse(): Promise<RawResponse | undefined> {
    for (;;) {
      const response = this.#parseResponse();
      if (response !== undefined || this.socket.closed || this.socket.readableEnded)
        return response;
      await Promise.race([once(this.socket, 'data'), once(this.socket, 'close')]);
    }
  }

  #parseResponse(): RawResponse | undefined {
    const headLength = this.#received.indexOf('\r\n\r\n');
    if (headLength < 0) return undefined;
    const [statusLine = '', ...lines] = this.#received.slice(0, headLength).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    );
    const bodyStart = headLength + 4;
    const bodyLength = Number(headers['content-length'] ?? 0);
    const body = this.#received.slice(bodyStart, bodyStart + bodyLength);
    if (body.length < bodyLength) return undefined;
    this.#received = this.#received.slice(bodyStart + bodyLength);
    return { status: Number(statusLine.split(' ')[1]), headers, body };
  }
}

/** Sends the head of an upload with so many bytes, and no byte of its body. */
export async function beginDesignUpload(
  t: TestContext,
  client: Pick<TestServer, 'origin' | 'token'>,
  sizeBytes: number,
  methodAndPath = 'POST /v1/designs',
  headers: Record<string, string> = {},
): Promise<RawConnection> {
  const connection = await RawConnection.open(t, client);
  const allHeaders = { ...GLB_HEADERS, 'content-length': sizeBytes, ...headers };
  return connection.write(formatRequestHead(client, methodAndPath, allHeaders));
}

/** Formats the request line and the headers of a request. */
export function formatRequestHead(
  { origin, token }: Pick<TestServer, 'origin' | 'token'>,
  methodAndPath: string,
  headers: Record<string, string | number> = {},
): string {
  const allHeaders = { Host: new URL(origin).host, Authorization: `Bearer ${token}`, ...headers };
  const lines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}`);
  return `${[`${methodAndPath} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`;
}

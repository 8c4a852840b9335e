import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A request to send again and again. */
export type RepeatedRequest = {
  path: string;
  method: string;
  headers: Record<string, string>;
  body?: string;
};

const CONNECTIONS = 32;

/**
 * Sends a request over 32 connections, each the next when the last is answered, for some seconds.
 * Answers requests per second.
 *
 * Every answer has the same length, so the client only counts bytes: it must cost less than the
 * server, or it would be what is measured.
 */
export async function measureRequestRate(
  origin: string,
  target: RepeatedRequest,
  seconds: number,
): Promise<number> {
  const { hostname, port } = new URL(origin);
  const request = serializeRequest(target, `${hostname}:${port}`);
  const length = await measureResponseBytes(hostname, Number(port), request);
  let answered = 0;
  let running = true;
  const sockets = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = await openSocket(hostname, Number(port));
      let missing = length;
      socket.on('data', (chunk) => {
        missing -= chunk.length;
        if (missing < 0) throw new Error(`${target.path}: an answer of another length`);
        if (missing > 0) return;
        missing = length;
        answered += 1;
        if (running) socket.write(request);
      });
      return socket;
    }),
  );
  const start = performance.now();
  for (const socket of sockets) socket.write(request);
  // Never asleep: waking the client would cost the server more than the answer, the more so the
  // slower it is.
  const stayAwake = () => {
    if (running) setImmediate(stayAwake);
  };
  stayAwake();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const rate = answered / ((performance.now() - start) / 1000);
  running = false;
  for (const socket of sockets) socket.destroy();
  return rate;
}

function serializeRequest(
  { method, path, headers, body = '' }: RepeatedRequest,
  host: string,
): Buffer {
  const all = { host, ...headers, ...(body !== '' && { 'content-length': String(body.length) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

/** Asks once: the answer must be 200; its length is the length of all. */
async function measureResponseBytes(host: string, port: number, request: Buffer): Promise<number> {
  const socket = await openSocket(host, port);
  let answer = Buffer.alloc(0);
  socket.write(request);
  for await (const chunk of socket) {
    answer = Buffer.concat([answer, chunk]);
    const head = answer.indexOf('\r\n\r\n');
    const body = /\r\ncontent-length: (\d+)/i.exec(answer.toString('latin1', 0, Math.max(head, 0)));
    if (head < 0 || body === null || answer.length < head + 4 + Number(body[1])) continue;
    if (!answer.toString('latin1').startsWith('HTTP/1.1 200')) throw new Error(answer.toString());
    return answer.length;
  }
  throw new Error('The connection was closed without an answer.');
}

async function openSocket(host: string, port: number): Promise<Socket> {
  const socket = connect(port, host);
  socket.setNoDelay(true);
  await once(socket, 'connect');
  return socket;
}

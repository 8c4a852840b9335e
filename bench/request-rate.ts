import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { readThreadCpuSeconds } from './cpu-time.ts';
import type { Round } from './pooled-ratio.ts';

/** A request to repeat. */
export type RepeatedRequest = {
  path: string;
  method: string;
  headers: Record<string, string>;
  body?: string;
};

const CONNECTIONS = 32;

/** Measures the requests that a process serves per second of its CPU time, as `countRequests` does. */
export async function measureRequestRate(
  service: MeasuredService,
  target: RepeatedRequest,
  seconds: number,
): Promise<number> {
  const { done, cost } = await countRequests(service, target, seconds);
  return done / cost;
}

type MeasuredService = { origin: string; pid: number };

/**
 * Counts the requests that the process `pid` serves over 32 connections, each with one request at a time, and the seconds of CPU time
 * that it takes for them.
 *
 * Our own client instead of autocannon, whose CPU use would limit the result: this client only counts
 * bytes, because every response has the same length.
 */
export async function countRequests(
  { origin, pid }: MeasuredService,
  target: RepeatedRequest,
  seconds: number,
): Promise<Round> {
  const { hostname, port } = new URL(origin);
  const request = serializeRequest(target, `${hostname}:${port}`);
  const length = await measureResponseBytes(hostname, Number(port), request);
  let responseCount = 0;
  let running = true;
  const sockets = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = await openSocket(hostname, Number(port));
      let missingBytes = length;
      socket.on('data', (chunk) => {
        missingBytes -= chunk.length;
        if (missingBytes < 0)
          throw new Error(`${target.path}: the length of the response has changed`);
        if (missingBytes > 0) return;
        missingBytes = length;
        responseCount += 1;
        if (running) socket.write(request);
      });
      return socket;
    }),
  );
  const start = readThreadCpuSeconds(pid);
  for (const socket of sockets) socket.write(request);
  // Keeps the client busy: waking a sleeping client costs CPU time, which would slow the server.
  const stayAwake = () => {
    if (running) setImmediate(stayAwake);
  };
  stayAwake();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const result = { done: responseCount, cost: readThreadCpuSeconds(pid) - start };
  running = false;
  for (const socket of sockets) socket.destroy();
  return result;
}

function serializeRequest(
  { method, path, headers, body = '' }: RepeatedRequest,
  host: string,
): Buffer {
  const allHeaders = {
    host,
    ...headers,
    ...(body !== '' && { 'content-length': String(body.length) }),
  };
  const lines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

/** Sends the request once; asserts status 200 or 204 and returns the length of the response. */
async function measureResponseBytes(host: string, port: number, request: Buffer): Promise<number> {
  const socket = await openSocket(host, port);
  let response = Buffer.alloc(0);
  socket.write(request);
  for await (const chunk of socket) {
    response = Buffer.concat([response, chunk]);
    const head = response.indexOf('\r\n\r\n');
    if (head >= 0 && response.toString('latin1').startsWith('HTTP/1.1 204')) return head + 4;
    const body = /\r\ncontent-length: (\d+)/i.exec(
      response.toString('latin1', 0, Math.max(head, 0)),
    );
    if (head < 0 || body === null || response.length < head + 4 + Number(body[1])) continue;
    if (!response.toString('latin1').startsWith('HTTP/1.1 200'))
      throw new Error(response.toString());
    return response.length;
  }
  throw new Error('The connection was closed without a response.');
}

async function openSocket(host: string, port: number): Promise<Socket> {
  const socket = connect(port, host);
  socket.setNoDelay(true);
  await once(socket, 'connect');
  return socket;
}

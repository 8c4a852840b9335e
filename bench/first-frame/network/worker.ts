/**
 * The network and the server in front of it, in a thread of their own, so that the recording of frames
 * does not delay them.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { createFront, type FrontOptions } from './front.ts';
import { LinkDirection } from './link-direction.ts';
import type { NetworkProfile } from './profiles.ts';
import { type Link, ShapedConnection } from './shaped-connection.ts';

/** Bytes delivered to the browser so far, and when: milliseconds since 1970. */
export type ByteCount = { at: number; bytes: number };
export type WorkerRequest = { profile: NetworkProfile } | { takeCounts: true };
export type WorkerResponse = { sitePort: number; plainPort: number } | { counts: ByteCount[] };

const now = () => performance.timeOrigin + performance.now();

const front = createFront(workerData as FrontOptions);
let counts: ByteCount[] = [];
let total = 0;
let link: Link | undefined;
const connections = new Set<ShapedConnection>();

const shaped = createServer((client) => {
  if (link === undefined) return client.destroy();
  const connection = new ShapedConnection(client, link, (bytes) => {
    total += bytes;
    counts.push({ at: now(), bytes: total });
  });
  connection.on('error', () => {});
  connections.add(connection);
  connection.on('close', () => connections.delete(connection));
  front.emit('connection', connection);
});
shaped.listen(0, '127.0.0.1');
// Without the network: for the pages that the contenders are framed in.
const plain = createFront(workerData as FrontOptions).listen(0, '127.0.0.1');
await Promise.all([once(shaped, 'listening'), once(plain, 'listening')]);

const respond = (response: WorkerResponse) => parentPort?.postMessage(response);
parentPort?.on('message', (message: WorkerRequest) => {
  if ('profile' in message) {
    const { profile } = message;
    const { roundTripMs } = profile;
    for (const connection of connections) connection.destroy();
    counts = [];
    total = 0;
    link = { down: new LinkDirection(profile), up: new LinkDirection(profile), roundTripMs };
  }
  respond({ counts });
  counts = [];
});
respond({
  sitePort: (shaped.address() as AddressInfo).port,
  plainPort: (plain.address() as AddressInfo).port,
});

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createHttpServer, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '../scripts/find-free-port.ts';
import { NGINX_CONFIGURATION, startNginx } from '../scripts/nginx.ts';
import { skipWithout } from '../scripts/optional-programs.ts';

/** Much longer than nginx waits for a node, and shorter than its default. */
const MAX_WAIT_MS = 30_000;
/** More than nginx reads before it sends a request to a node. */
const LARGE_BYTES = 256 * 1024;
const NODE_SCRIPT = `require('node:http').createServer((_, response) => response.end('node'))
  .listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;

/** Starts nginx in front of two nodes. Returns a function that sends a request, and returns its status. */
async function openNginx(t: TestContext, nodePorts: readonly [number, number]) {
  const [port, cdnPort] = [await findFreePort(), await findFreePort()];
  const folder = await mkdtemp(join(tmpdir(), 'nginx-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const configuration = await readFile(NGINX_CONFIGURATION, 'utf8');
  const publicHost = `cloche.test:${port}`;
  const nginx = await startNginx({ folder, configuration, publicHost, cdnPort, nodePorts });
  t.after(() => nginx[Symbol.asyncDispose]());
  return (method: string, path: string, bodyBytes = 0) =>
    new Promise<number>((resolve, reject) => {
      const headers = { host: publicHost, 'content-length': bodyBytes };
      const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false });
      sent.once('response', (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sent.once('error', reject);
      sent.end(Buffer.alloc(bodyBytes));
    });
}

/** A node in a process of its own. `freeze` stops it by SIGSTOP: the system still accepts connections for it. */
async function openNodeProcess(t: TestContext) {
  const child = spawn(process.execPath, ['--eval', NODE_SCRIPT], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const [port] = await once(createInterface(child.stdout), 'line');
  return { port: Number(port), freeze: () => child.kill('SIGSTOP') };
}

async function openNode(t: TestContext): Promise<number> {
  const server = createHttpServer((_, response) => response.end('node'));
  // That of the service. Node closes them after 6 seconds by default, just when nginx gives up a frozen node and uses them.
  server.keepAliveTimeout = 72_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** A node that is killed whenever it has received the first bytes of a request. */
async function openDyingNode(t: TestContext) {
  const node = { port: 0, requestCount: 0 };
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      node.requestCount += 1;
      socket.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  node.port = (server.address() as AddressInfo).port;
  return node;
}

describe('nginx with the configuration of docs/scale.md', { skip: skipWithout('nginx') }, () => {
  it('asks the other node for what visitors load if one is frozen', async (t) => {
    const node = await openNodeProcess(t);
    const send = await openNginx(t, [node.port, await openNode(t)]);
    node.freeze();
    const paths = ['/embed/iframe/v1/id', '/embed/assets/x.glb', '/embed/viewer/x.js', '/embed/x'];
    const responses = Promise.all(paths.map((path) => send('GET', path)));
    const statuses = await Promise.race([
      responses,
      delay(MAX_WAIT_MS, 'none in time', { ref: false }),
    ]);
    assert.deepEqual(statuses, [200, 200, 200, 200]);
  });

  const repeated: [method: string, bodyBytes: number, requestCount: number][] = [
    ['GET', 0, 2],
    ['DELETE', 0, 2],
    ['PUT', 0, 2],
    ['PUT', LARGE_BYTES, 1],
    ['POST', 0, 1],
    ['PATCH', 0, 1],
  ];
  for (const [method, bodyBytes, requestCount] of repeated) {
    it(`sends a ${method} with ${bodyBytes} bytes to ${requestCount} nodes if they are killed`, async (t) => {
      const node = await openDyingNode(t);
      const send = await openNginx(t, [node.port, node.port]);
      // nginx itself has been asked whether it listens.
      node.requestCount = 0;
      assert.equal(await send(method, '/v1/designs', bodyBytes), 502);
      assert.equal(node.requestCount, requestCount);
    });
  }
});

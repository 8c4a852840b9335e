import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { it, type TestContext } from 'node:test';
import { findFreePort } from '../scripts/find-free-port.ts';
import { SERVICE_ARGUMENTS, stopProcess, waitUntilReady } from '../scripts/service-process.ts';

/** Each request is logged with its path, so this is more than the pipe and the queue of the service can hold. */
const REQUEST_COUNT = 12_000;
const PATH = `/unread/${'x'.repeat(20)}${'/long'.repeat(34)}`;

it('a log that nobody reads delays neither requests nor the shutdown; lost lines are counted', async (t) => {
  const { port, child, stdout } = await startWithUnreadLog(t);
  assert.equal(await sendRequests(port), REQUEST_COUNT);

  // The reader returns.
  const lines: string[] = [];
  let rest = '';
  const isReported = Promise.withResolvers<number>();
  const handleData = (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      lines.push(part);
      if (part.includes('droppedLines')) isReported.resolve(JSON.parse(part).droppedLines);
    }
  };
  stdout.on('data', handleData);
  const droppedLines = await isReported.promise;
  const received = lines.filter((line) => line.includes(PATH.slice(0, 150))).length;
  assert.ok(received > 1000, String(received));
  assert.equal(received + droppedLines, REQUEST_COUNT);

  // The reader stops again.
  stdout.off('data', handleData).pause();
  assert.equal(await sendRequests(port), REQUEST_COUNT);
  assert.equal(await stopProcess(child, 'SIGTERM'), 0);
});

/** Starts the service. Its standard output is a pipe that nobody reads. */
async function startWithUnreadLog(
  t: TestContext,
): Promise<{ port: number; child: ChildProcess; stdout: Readable }> {
  const folder = await mkdtemp(join(tmpdir(), 'cloche-e2e-'));
  const port = await findFreePort();
  const child = spawn(process.execPath, SERVICE_ARGUMENTS, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      CLOCHE_PORT: String(port),
      CLOCHE_DATA: join(folder, 'data'),
      CLOCHE_BOOTSTRAP_TOKEN_FILE: join(folder, 'bootstrap-token'),
      CLOCHE_CHROMIUM: 'none',
    },
  });
  t.after(async () => {
    await stopProcess(child, 'SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 20 });
  });
  await waitUntilReady(`http://localhost:${port}`, child, () => '');
  return { port, child, stdout: child.stdout };
}

/** Sends requests over one connection. Returns the number of responses. */
async function sendRequests(port: number): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  const request = `GET ${PATH} HTTP/1.1\r\nHost: localhost:${port}\r\n`;
  socket.write(`${request}\r\n`.repeat(REQUEST_COUNT - 1));
  socket.write(`${request}Connection: close\r\n\r\n`);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  await once(socket, 'close');
  return received.split('HTTP/1.1 404').length - 1;
}

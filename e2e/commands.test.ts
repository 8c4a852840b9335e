import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { waitUntil } from '../scripts/wait-until.ts';
import { runClocheServer } from '../server/testing/run-cloche-server.ts';
import { ServiceProcess } from './service-process.ts';

test('a running service accepts a token of the command at once, and stops the tokens of a disabled user', async (t) => {
  const service = await ServiceProcess.open(t);
  const environment = { CLOCHE_DATA: service.dataDirectory };
  const run = (...args: string[]) => runClocheServer(args, environment);
  await run('users', 'add', 'anna');
  const created = await run('token', '--user', 'anna', '--capabilities', 'read,write,embed');
  const token = created.stdout.trim();
  const request = (path: string, init: RequestInit = {}) =>
    fetch(service.origin + path, {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...init.headers },
    });

  const headers = { 'content-type': 'application/octet-stream', prefer: 'wait=60' };
  const body = new Uint8Array(makeBox({ name: 'box' }));
  const uploaded = await request('/v1/designs', { method: 'POST', headers, body });
  assert.equal(uploaded.status, 201);

  const disabled = await run('users', 'disable', 'anna');
  assert.equal(disabled.status, 0, disabled.stderr);
  const start = performance.now();
  await waitUntil(
    'the token is refused',
    async () => (await request('/v1/designs')).status === 401,
  );
  t.diagnostic(`refused ${Math.round(performance.now() - start)} ms after the command`);
});

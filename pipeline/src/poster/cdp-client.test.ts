import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { CdpClient, type CdpEvent } from './cdp-client.ts';

function openClient() {
  const [output, input] = [new PassThrough(), new PassThrough()];
  return { output, input, client: new CdpClient(output, input) };
}

describe('the CDP client', () => {
  it('reads messages that arrive in pieces', async () => {
    const { input, client } = openClient();
    const events: CdpEvent[] = [];
    client.subscribe((event) => events.push(event));
    const result = client.send('Some.method');
    const messages = Buffer.from(
      '{"method":"A","params":{"ü":1}}\0{"method":"B","sessionId":"s"}\0{"id":1,"result":"ö"}\0',
    );
    for (const byte of messages) input.write(Buffer.from([byte]));
    assert.equal(await result, 'ö');
    assert.deepEqual(events, [
      { method: 'A', params: { ü: 1 } },
      { method: 'B', params: {}, sessionId: 's' },
    ]);
  });

  it('settles each call with its own result or error', async () => {
    const { output, input, client } = openClient();
    const calls = [client.send('A', { x: 1 }, 'page'), client.send('B')];
    input.write('{"id":2,"error":{"message":"no"}}\0{"id":1,"result":{"y":2}}\0');
    const [a, b] = await Promise.allSettled(calls);
    assert.deepEqual(a, { status: 'fulfilled', value: { y: 2 } });
    assert.equal(b?.status, 'rejected');
    assert.equal(
      String(output.read()),
      '{"id":1,"method":"A","params":{"x":1},"sessionId":"page"}\0{"id":2,"method":"B","params":{}}\0',
    );
  });

  it('rejects pending and later calls when the browser is gone', async () => {
    const { input, client } = openClient();
    const pending = client.send('A');
    input.end();
    await assert.rejects(pending, /closed its pipe/);
    await assert.rejects(client.send('B'), /closed its pipe/);
  });

  it('closes the connection when a message is too large', async () => {
    const { input, client } = openClient();
    const pending = client.send('A');
    for (let i = 0; i < 33; i++) input.write(Buffer.alloc(1024 * 1024, 'x'));
    await assert.rejects(pending, /larger than 33554432 bytes/);
  });
});

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { CdpClient, type CdpEvent } from './cdp-client.ts';

function openClient() {
  const [to, from] = [new PassThrough(), new PassThrough()];
  return { to, from, devtools: new CdpClient(to, from) };
}

describe('the line to the browser', () => {
  it('hears messages however they are cut', async () => {
    const { from, devtools } = openClient();
    const heard: CdpEvent[] = [];
    devtools.subscribe((happening) => heard.push(happening));
    const answer = devtools.send('Some.thing');
    const said = Buffer.from(
      '{"method":"A","params":{"ü":1}}\0{"method":"B","sessionId":"s"}\0{"id":1,"result":"ö"}\0',
    );
    for (const byte of said) from.write(Buffer.from([byte]));
    assert.equal(await answer, 'ö');
    assert.deepEqual(heard, [
      { method: 'A', params: { ü: 1 } },
      { method: 'B', params: {}, sessionId: 's' },
    ]);
  });

  it('gives each asker the answer, or the error, that is theirs', async () => {
    const { to, from, devtools } = openClient();
    const asked = [devtools.send('A', { x: 1 }, 'page'), devtools.send('B')];
    from.write('{"id":2,"error":{"message":"no"}}\0{"id":1,"result":{"y":2}}\0');
    const [a, b] = await Promise.allSettled(asked);
    assert.deepEqual(a, { status: 'fulfilled', value: { y: 2 } });
    assert.equal(b?.status, 'rejected');
    assert.equal(
      String(to.read()),
      '{"id":1,"method":"A","params":{"x":1},"sessionId":"page"}\0{"id":2,"method":"B","params":{}}\0',
    );
  });

  it('tells who waits, and who comes later, that the browser is gone', async () => {
    const { from, devtools } = openClient();
    const waiting = devtools.send('A');
    from.end();
    await assert.rejects(waiting, /closed its pipe/);
    await assert.rejects(devtools.send('B'), /closed its pipe/);
  });

  it('ends with a browser that says too much', async () => {
    const { from, devtools } = openClient();
    const waiting = devtools.send('A');
    for (let i = 0; i < 33; i++) from.write(Buffer.alloc(1024 * 1024, 'x'));
    await assert.rejects(waiting, /too much/);
  });
});

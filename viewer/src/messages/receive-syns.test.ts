import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { receiveSyns, reportRefusal } from './receive-syns.ts';

const SHOP = 'https://shop.example';
const ALLOWED_ORIGINS = [SHOP, 'https://*.brand.example', 'http://localhost:*'];
const SYN = { cloche: 'syn', versions: [1] };

type SynEvent = { source?: unknown; origin?: string; data?: unknown; ports?: MessagePort[] };

/** The window of a viewer, with a parent that records its messages. */
function createPage() {
  const posted: unknown[] = [];
  const parent = { postMessage: (...message: unknown[]) => posted.push(message) };
  let listener: (event: object) => void = () => {};
  const page = {
    parent,
    addEventListener(type: string, handler: typeof listener) {
      assert.equal(type, 'message');
      listener = handler;
    },
  } as unknown as Window;
  return { page, parent, posted, post: (event: object) => listener(event) };
}

/** A port. Its channel is closed with the test. */
function createPort(t: TestContext): MessagePort {
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  return port2 as unknown as MessagePort;
}

describe('receiveSyns', () => {
  it('tells any parent that it listens, and nothing else', () => {
    const { page, posted } = createPage();
    receiveSyns(page, ALLOWED_ORIGINS);
    assert.deepEqual(posted, [[{ cloche: 'listening', versions: [1] }, '*']]);
  });

  const rows: [sender: string, event: (t: TestContext) => SynEvent, accepted: boolean][] = [
    ['the parent on a listed origin', () => ({}), true],
    ['a listed subdomain', () => ({ origin: 'https://a.brand.example' }), true],
    ['any port of localhost, if listed', () => ({ origin: 'http://localhost:5173' }), true],
    ['a future SDK', () => ({ data: { ...SYN, versions: [2, 3], more: true } }), true],
    ['a frame next to the viewer', () => ({ source: { name: 'sibling' } }), false],
    ['a listed page around the parent', () => ({ source: { name: 'top' } }), false],
    ['no window', () => ({ source: null }), false],
    ['the parent on another origin', () => ({ origin: 'https://evil.example' }), false],
    ['another scheme', () => ({ origin: 'http://shop.example' }), false],
    ['another port', () => ({ origin: `${SHOP}:8443` }), false],
    ['the parent domain of a wildcard', () => ({ origin: 'https://brand.example' }), false],
    ['an opaque origin', () => ({ origin: 'null' }), false],
    ['an empty origin', () => ({ origin: '' }), false],
    ['a listed pattern as an origin', () => ({ origin: 'https://*.brand.example' }), false],
    ['no port', () => ({ ports: [] }), false],
    ['two ports', (t) => ({ ports: [createPort(t), createPort(t)] }), false],
    ['no data', () => ({ data: undefined }), false],
    ['null', () => ({ data: null }), false],
    ['a text', () => ({ data: 'syn' }), false],
    ['another message', () => ({ data: { cloche: 'listening', versions: [1] } }), false],
    ['no versions', () => ({ data: { cloche: 'syn' } }), false],
    ['versions that are no list', () => ({ data: { cloche: 'syn', versions: '1' } }), false],
  ];

  it('accepts a SYN of the parent on any origin if the owner shares the design, and of no other window', (t) => {
    for (const origin of [SHOP, 'https://evil.example', 'null']) {
      const { page, parent, post } = createPage();
      const queue = receiveSyns(page, 'any');
      post({ source: { name: 'sibling' }, origin, data: SYN, ports: [createPort(t)] });
      assert.equal(queue.syns.length, 0);
      post({ source: parent, origin, data: SYN, ports: [createPort(t)] });
      assert.equal(queue.syns.length, 1, origin);
    }
  });

  for (const [sender, event, accepted] of rows) {
    it(`${accepted ? 'accepts' : 'ignores'} a SYN from ${sender}`, (t) => {
      const { page, parent, posted, post } = createPage();
      const queue = receiveSyns(page, ALLOWED_ORIGINS);
      const port = createPort(t);
      post({ source: parent, origin: SHOP, data: SYN, ports: [port], ...event(t) });
      assert.equal(queue.syns.length, accepted ? 1 : 0);
      // Not even an error is sent to who is ignored.
      assert.equal(posted.length, 1);
    });
  }

  it('collects SYNs in order, and reports each', (t) => {
    const { page, parent, post } = createPage();
    const queue = receiveSyns(page, ALLOWED_ORIGINS);
    const ports = [createPort(t), createPort(t)];
    let reports = 0;
    for (const port of ports) {
      queue.onSyn = () => void reports++;
      post({ source: parent, origin: SHOP, data: SYN, ports: [port] });
    }
    assert.equal(reports, 2);
    assert.deepEqual(
      queue.syns.map(({ port }) => port),
      ports,
    );
  });
});

describe('reportRefusal', () => {
  const refusal = [{ cloche: 'refused', code: 'embed.origin' }, '*'];

  it('repeats the code for each SYN of the parent, on any origin', () => {
    const { page, parent, posted, post } = createPage();
    reportRefusal(page, 'embed.origin');
    assert.deepEqual(posted, [refusal]);
    post({ source: parent, origin: 'https://evil.example', data: SYN });
    assert.deepEqual(posted, [refusal, refusal]);
  });

  it('does not answer other messages, nor other windows', () => {
    const { page, parent, posted, post } = createPage();
    reportRefusal(page, 'embed.origin');
    post({ source: parent, data: 'hello' });
    post({ source: { name: 'sibling' }, data: SYN });
    assert.deepEqual(posted, [refusal]);
  });
});

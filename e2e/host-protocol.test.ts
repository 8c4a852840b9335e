/**
 * The protocol between host page and viewer in a hostile environment: only the parent, with a port of its own, can run
 * commands and read state. It must be on a listed origin, unless the design is shared.
 */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { Frame } from 'playwright-core';
import { ATTACK_CALLS } from './protocol-attacker.ts';
import {
  connect,
  findAttacker,
  findFrame,
  findViewer,
  openProtocolWorld,
  type ProtocolWorld,
  readState,
} from './protocol-world.ts';

const WAIT_OPTIONS = { timeout: 60_000 };
/** Messages of no use, before a call that is answered all the same. */
const FLOOD_COUNT = 100_000;

type Attack = {
  name: string;
  /** The content of the host page, with the embed as its first frame. Default: the embed alone. */
  body?: (world: ProtocolWorld) => string;
  /** Opens the frame with the embed, if that is not the page itself. */
  openHost?: (world: ProtocolWorld, site: string, t: TestContext) => Promise<Frame>;
  /** Attacks a viewer whose host page has connected. Returns the frame that would receive something. */
  run: (host: Frame, world: ProtocolWorld) => Promise<Frame>;
  /** Whether a message of the attack reaches the window of the viewer. Default: true. */
  reachesViewer?: boolean;
};

async function attackFromSibling(host: Frame): Promise<Frame> {
  const attacker = await findAttacker(host.page());
  await attacker.evaluate(() => void window.attack(parent.frames[0] as Window));
  return attacker;
}

const attacks: readonly Attack[] = [
  {
    name: 'a sibling frame on another site',
    body: ({ embed, frameOf }) => embed + frameOf('evil.test'),
    run: attackFromSibling,
  },
  {
    name: 'a sibling frame on the listed origin',
    body: ({ embed, frameOf }) => embed + frameOf('shop.test'),
    run: attackFromSibling,
  },
  {
    name: 'a sibling frame with an opaque origin',
    body: ({ embed, frameOf }) => embed + frameOf('shop.test', 'sandbox="allow-scripts"'),
    run: attackFromSibling,
  },
  {
    name: 'a listed page around the parent',
    async openHost(world, site, t) {
      const inner = world.addPage(site, world.embed);
      const outer = world.addPage('brand.test', `<iframe src="${inner}"></iframe>`);
      const page = await world.openPage(t, outer);
      return page.frame({ url: inner }) ?? assert.fail('no frame');
    },
    async run(host) {
      const outer = host.page().mainFrame();
      await outer.evaluate(() => void window.attack(frames[0]?.frames[0] as Window));
      return outer;
    },
  },
  {
    name: 'a window that the parent has opened',
    async run(host, { addPage }) {
      const opening = host.page().waitForEvent('popup');
      await host.evaluate((url) => void window.open(url), addPage('evil.test'));
      const popup = (await opening).mainFrame();
      await popup.waitForFunction(() => 'attack' in window, undefined, WAIT_OPTIONS);
      await popup.evaluate(() => void window.attack(opener.frames[0]));
      return popup;
    },
  },
  {
    name: 'a SYN that is replayed without its port',
    async run(host) {
      await host.evaluate(() => void window.attack(frames[0] as Window, { portCount: 0 }));
      return host;
    },
  },
  {
    name: 'a SYN with two ports',
    async run(host) {
      await host.evaluate(() => void window.attack(frames[0] as Window, { portCount: 2 }));
      return host;
    },
  },
  {
    name: 'a SYN of another version',
    async run(host) {
      const syn = { cloche: 'syn', versions: [0, 2, 99] };
      await host.evaluate((syn) => void window.attack(frames[0] as Window, { syn }), syn);
      await host.waitForFunction(() => window.answers.length > 0, undefined, WAIT_OPTIONS);
      const [rst] = await host.evaluate(() => window.answers.splice(0, 1));
      assert.deepEqual(rst, { type: 'rst', reason: 'version', versions: [1] });
      return host;
    },
  },
  {
    name: 'a stolen port that another SYN of the parent has replaced',
    async run(host, { serviceOrigin }) {
      const port = await host.evaluateHandle(async () => {
        const { port1, port2 } = new MessageChannel();
        frames[0]?.postMessage({ cloche: 'syn', versions: [1] }, '*', [port2]);
        await new Promise((resolve) => {
          port1.onmessage = resolve;
        });
        port1.postMessage({ type: 'ack' });
        return port1;
      });
      await connect(host, serviceOrigin);
      await host.evaluate(
        ([port, calls]) => {
          // The RST has arrived before the connection was made.
          port.onmessage = ({ data }) => void window.answers.push(data);
          for (const [id, [method, ...args]] of calls.entries())
            port.postMessage({ type: 'call', id, method, args });
        },
        [port, ATTACK_CALLS] as const,
      );
      return host;
    },
  },
  {
    name: 'a frame that pretends to be the viewer, to get a port',
    body: ({ embed, frameOf }) => embed + frameOf('evil.test'),
    reachesViewer: false,
    async run(host) {
      const attacker = await findAttacker(host.page());
      const received = await host.evaluate(() => window.received.length);
      await attacker.evaluate(() => {
        for (const cloche of ['listening', 'refused', 'failed'])
          parent.postMessage({ cloche, versions: [1], code: 'viewer.failed' }, '*');
      });
      await host.waitForFunction((count) => window.received.length >= count, received + 3);
      return attacker;
    },
  },
];

/** Everything that the window of a frame has received. */
function readReceived(frame: Frame) {
  return frame.evaluate(() => ({ answers: window.answers, received: window.received }));
}

it('0 commands run and 0 states are read, by anyone but the parent', async (t) => {
  const world = await openProtocolWorld(t);
  await t.test('self-test: the attack works from the parent', async (t) => {
    const page = await world.openPage(t, world.addPage('shop.test', world.embed));
    const host = page.mainFrame();
    await connect(host, world.serviceOrigin);
    const before = await readState(host);
    await host.evaluate(() => void window.attack(frames[0] as Window));
    await host.waitForFunction(
      (count) => window.answers.filter(({ type }) => type === 'result').length === count,
      ATTACK_CALLS.length,
      WAIT_OPTIONS,
    );
    await connect(host, world.serviceOrigin);
    assert.notDeepEqual(await readState(host), before);
  });

  for (const attack of attacks)
    await t.test(attack.name, (t) => testAttack(t, world, 'shop.test', attack));
});

it('the parent of a shared design controls it, on any site, and nobody else does', async (t) => {
  const world = await openProtocolWorld(t);
  const { send, design, serviceOrigin } = world;
  await send('PATCH', `/v1/designs/${design.id}`, { shared: true });
  const embed = `<iframe src="${serviceOrigin}/embed/share/v1/${design.id}"></iframe>`;
  const names = [
    'a sibling frame on the listed origin',
    'a listed page around the parent',
    'a window that the parent has opened',
  ];
  const shared = attacks.filter(({ name }) => names.includes(name));
  assert.equal(shared.length, names.length);
  for (const attack of shared)
    await t.test(attack.name, (t) => testAttack(t, { ...world, embed }, 'evil.test', attack));
});

/** Connects a page with the embed, has it attacked, and checks that the attack has read and changed nothing. */
async function testAttack(
  t: TestContext,
  world: ProtocolWorld,
  site: string,
  { body, openHost, run, reachesViewer = true }: Attack,
): Promise<void> {
  const openPage = () => world.openPage(t, world.addPage(site, body?.(world) ?? world.embed));
  const host = (await openHost?.(world, site, t)) ?? (await openPage()).mainFrame();
  await connect(host, world.serviceOrigin);
  const before = await readState(host);
  const viewer = await findViewer(host);
  const count = await viewer.evaluate(() => window.windowMessageCount);
  const attacker = await run(host, world);
  if (reachesViewer) {
    await viewer.waitForFunction((count) => window.windowMessageCount > count, count);
  }
  // Its own calls are answered, and change nothing.
  assert.deepEqual(await readState(host), before);
  const { answers, received } = await readReceived(attacker);
  assert.deepEqual(answers, []);
  if (attacker !== host) assert.deepEqual(received, []);
}

it('a page that may not show the design learns the code of the refusal, and nothing else', async (t) => {
  const world = await openProtocolWorld(t);
  const page = await world.openPage(t, world.addPage('evil.test', world.embed));
  const host = page.mainFrame();
  await host.waitForFunction(() => window.received.length > 0, undefined, WAIT_OPTIONS);
  await host.evaluate(() => void window.attack(frames[0] as Window));
  const viewer = await findViewer(host);
  await viewer.waitForFunction(() => window.windowMessageCount > 0);
  await host.waitForFunction(() => window.received.length > 1, undefined, WAIT_OPTIONS);
  const { answers, received } = await readReceived(host);
  const refusal = { cloche: 'refused', code: 'embed.origin' };
  // At once, and for the SYN.
  assert.deepEqual(received, [refusal, refusal]);
  assert.deepEqual(answers, []);
});

it('a frame that was navigated to another site gets nothing', async (t) => {
  const world = await openProtocolWorld(t);
  const page = await world.openPage(t, world.addPage('shop.test', world.embed));
  const host = page.mainFrame();
  await connect(host, world.serviceOrigin);
  const url = world.addPage('evil.test');
  await host.evaluate(
    (src) => void document.querySelector('iframe')?.setAttribute('src', src),
    url,
  );
  const attacker = await findFrame(page, (frame) => frame.url() === url);
  await attacker.waitForFunction(() => 'attack' in window, undefined, WAIT_OPTIONS);
  const received = await host.evaluate(() => window.received.length);
  await attacker.evaluate(() => {
    for (const cloche of ['listening', 'refused'])
      parent.postMessage({ cloche, versions: [1], code: 'embed.origin' }, '*');
  });
  await host.waitForFunction((count) => window.received.length >= count, received + 2);
  // A client that starts now sends its SYN to the service only.
  const error = await host.evaluate(async (origin) => {
    void window.connection.call('getParts').catch(() => undefined);
    const connecting = window.connectProtocol1(document.querySelector('iframe'), origin, {
      timeoutMs: 500,
    });
    return connecting.then(
      () => 'connected',
      ({ code }) => code,
    );
  }, world.serviceOrigin);
  assert.equal(error, 'timeout');
  assert.deepEqual(await attacker.evaluate(() => window.received), []);
});

it('two embeds on a page are independent', async (t) => {
  const world = await openProtocolWorld(t);
  // Both are in view.
  const body = `<div style="width: 120px">${world.embed}${world.embed}</div>`;
  const page = await world.openPage(t, world.addPage('shop.test', body));
  const host = page.mainFrame();
  const [moved, untouched] = await host.evaluate(async (origin) => {
    const connections = await Promise.all(
      Array.from(document.querySelectorAll('iframe'), (iframe) =>
        window.connectProtocol1(iframe, origin, { timeoutMs: 60_000 }),
      ),
    );
    const changes = connections.map((connection) => {
      const change = { count: 0, theta: 0 };
      connection.on('camera-change', () => {
        change.count += 1;
      });
      return change;
    });
    const readTheta = async (index: number) => {
      const camera = (await connections[index]?.call('getCamera')) as { orbit: { theta: number } };
      return camera.orbit.theta;
    };
    const before = await readTheta(1);
    await connections[0]?.call('setCamera', { orbit: { theta: before + 1 } }, { durationMs: 100 });
    // Sent with the next frame, which may come after the result of the call.
    while (changes[0]?.count === 0) await new Promise(requestAnimationFrame);
    for (const [index, change] of changes.entries())
      change.theta = (await readTheta(index)) - before;
    return changes;
  }, world.serviceOrigin);
  assert.ok((moved?.count ?? 0) > 0);
  assert.ok(Math.abs((moved?.theta ?? 0) - 1) < 1e-3);
  assert.deepEqual(untouched, { count: 0, theta: 0 });
});

it('a parent may come before the viewer, or late', async (t) => {
  const world = await openProtocolWorld(t);
  const page = await world.openPage(t, world.addPage('shop.test'));
  const host = page.mainFrame();
  const states = await host.evaluate(
    async ([html, origin]) => {
      document.body.innerHTML = html;
      const iframe = document.querySelector('iframe');
      // The document has not been requested yet.
      const early = await window.connectProtocol1(iframe, origin, { timeoutMs: 60_000 });
      await early.call('getParts');
      early.close();
      const late = await window.connectProtocol1(iframe, origin, { timeoutMs: 60_000 });
      return [early.synAck.state.state, late.synAck.state.state];
    },
    [world.embed, world.serviceOrigin] as const,
  );
  assert.ok(states[0] !== undefined);
  assert.equal(states[1], 'ready');
});

it(`after ${FLOOD_COUNT} messages of no use, a call is answered`, async (t) => {
  const world = await openProtocolWorld(t);
  const page = await world.openPage(t, world.addPage('shop.test', world.embed));
  const host = page.mainFrame();
  await connect(host, world.serviceOrigin);
  const before = await readState(host);
  await host.evaluate((count) => {
    const { port1, port2 } = new MessageChannel();
    for (let i = 0; i < count; i++) frames[0]?.postMessage({ cloche: 'syn', versions: i }, '*');
    frames[0]?.postMessage({ cloche: 'syn', versions: [1] }, '*', [port2]);
    port1.onmessage = ({ data }) => void window.answers.push(data);
    for (let id = 0; id < count; id++)
      port1.postMessage({ type: 'call', id, method: 'resetCamera', args: [] });
  }, FLOOD_COUNT);
  // That connection has not been established, so it has carried out nothing.
  await connect(host, world.serviceOrigin);
  assert.deepEqual(await readState(host), before);
  // They come through another port than those of the new connection.
  await host.waitForFunction(() => window.answers.length > 1, undefined, WAIT_OPTIONS);
  const answers = await host.evaluate(() => window.answers.map(({ type }) => type));
  assert.deepEqual(answers, ['syn-ack', 'rst']);
});

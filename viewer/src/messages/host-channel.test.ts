import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import {
  CALL_TIMEOUT_MS,
  EVENT_NAMES,
  MAX_PENDING_CALLS,
  METHOD_NAMES,
} from '@cloche/contract/message';
import { EventEmitter } from '../event-emitter.ts';
import { ViewerError } from '../viewer-error.ts';
import type { ViewerEvents, ViewerState } from '../viewer-events.ts';
import { HostChannel } from './host-channel.ts';
import type { ConnectedViewer } from './host-connection.ts';
import type { SynQueue } from './receive-syns.ts';

type Message = Record<string, unknown>;

/** A viewer that records the calls which reach it. */
function createViewer(results: Record<string, unknown> = {}) {
  const events = new EventEmitter<ViewerEvents>();
  const calls: unknown[] = [];
  const viewer = {
    state: 'ready' as ViewerState,
    error: undefined as ViewerError | undefined,
    on: events.on.bind(events) as EventEmitter<ViewerEvents>['on'],
    ...Object.fromEntries(
      METHOD_NAMES.map((name) => [
        name,
        (...args: unknown[]) => {
          calls.push([name, ...args]);
          const result = results[name];
          return typeof result === 'function' ? result(...args) : result;
        },
      ]),
    ),
  };
  return { viewer, calls, events };
}

/** Opens a channel for a viewer. Ends with the test. */
function openChannel(t: TestContext, viewer: object) {
  let isVisible = false;
  const document = { documentElement: { matches: () => isVisible } };
  const queue: SynQueue = { syns: [] };
  const channel = new HostChannel(
    viewer as ConnectedViewer,
    document as unknown as Document,
    queue,
  );
  t.after(() => channel[Symbol.dispose]());
  /** Sends a SYN that the viewer has accepted. */
  const connect = (versions: unknown[] = [1]) => {
    const { port1, port2 } = new MessageChannel();
    const host = new HostEnd(port1);
    t.after(() => port1.close());
    queue.syns.push({ versions, port: port2 as unknown as MessagePort });
    queue.onSyn?.();
    return host;
  };
  const setVisible = (visible: boolean) => {
    isVisible = visible;
  };
  return { channel, connect, setVisible };
}

/** The end of a host page. */
class HostEnd {
  readonly received: Message[] = [];
  /** Resolves when the other end has been closed. */
  readonly closed: Promise<unknown>;
  readonly #port: MessagePort;
  #lastProbe = 0;
  #onReceived: () => void = () => {};

  constructor(port: MessagePort) {
    this.#port = port;
    this.closed = new Promise((resolve) => port.addEventListener('close', resolve));
    port.onmessage = ({ data }) => {
      this.received.push(data as Message);
      this.#onReceived();
    };
  }

  send(message: unknown): void {
    this.#port.postMessage(message);
  }

  call(id: unknown, method: unknown, ...args: unknown[]): void {
    this.send({ type: 'call', id, method, args });
  }

  /** Resolves to the messages when there are so many. */
  async receive(count: number): Promise<Message[]> {
    while (this.received.length < count) {
      await new Promise<void>((resolve) => {
        this.#onReceived = resolve;
      });
    }
    return this.received;
  }

  /** Resolves to the answers after the SYN-ACK when all calls so far have been received. */
  async answers(): Promise<Message[]> {
    const probe = --this.#lastProbe;
    this.call(probe, 'noSuchMethod');
    while (!this.received.some(({ id }) => id === probe)) {
      await this.receive(this.received.length + 1);
    }
    return this.received.filter(({ id }) => typeof id === 'number' && id > 0);
  }
}

async function establish(t: TestContext, viewer: object) {
  const channel = openChannel(t, viewer);
  const host = channel.connect();
  await host.receive(1);
  host.send({ type: 'ack' });
  return { ...channel, host };
}

describe('the handshake', () => {
  it('SYN-ACK has the version, the names, and the state', async (t) => {
    const { viewer } = createViewer();
    viewer.state = 'failed';
    viewer.error = new ViewerError('offline');
    const { connect } = openChannel(t, viewer);
    const [synAck] = await connect([1, 2]).receive(1);
    assert.deepEqual(synAck, {
      type: 'syn-ack',
      version: 1,
      methods: [...METHOD_NAMES],
      events: [...EVENT_NAMES],
      state: {
        state: 'failed',
        modelVisible: false,
        error: { code: 'viewer.offline', message: 'The design could not be requested.' },
      },
    });
  });

  for (const versions of [[], [2], [0], ['1'], [null], [{}], [1.5], [Number.NaN]]) {
    it(`RST for the versions ${JSON.stringify(versions)}; nothing is carried out`, async (t) => {
      const { viewer, calls } = createViewer();
      const host = openChannel(t, viewer).connect(versions);
      assert.deepEqual(await host.receive(1), [{ type: 'rst', reason: 'version', versions: [1] }]);
      host.send({ type: 'ack' });
      host.call(1, 'getParts');
      await (await establish(t, viewer)).host.answers();
      assert.deepEqual(calls, []);
      assert.equal(host.received.length, 1);
    });
  }

  it('a SYN with a wrong version does not end the connection', async (t) => {
    const { viewer, calls } = createViewer();
    const { host, connect } = await establish(t, viewer);
    await connect([7]).receive(1);
    host.call(1, 'play');
    await host.receive(2);
    assert.deepEqual(calls, [['play']]);
  });

  it('before the ACK, calls are ignored and no event is sent', async (t) => {
    const { viewer, calls, events } = createViewer();
    const host = openChannel(t, viewer).connect();
    host.call(1, 'play');
    await host.receive(1);
    events.emit('progress', { loadedBytes: 1, totalBytes: 4 });
    events.emit('progress', { loadedBytes: 2, totalBytes: 4 });
    host.send({ type: 'ack' });
    host.call(2, 'pause');
    const [, event, result] = await host.receive(3);
    // The latest of each event has been kept.
    assert.deepEqual(event, { type: 'event', name: 'progress', detail: { loaded: 0.5 } });
    assert.deepEqual(result, { type: 'result', id: 2 });
    assert.deepEqual(calls, [['pause']]);
  });

  it('another SYN replaces the connection: its port is dead', async (t) => {
    const { viewer, calls, events } = createViewer();
    const { host: first, connect } = await establish(t, viewer);
    const second = connect();
    assert.deepEqual((await first.receive(2))[1], { type: 'rst', reason: 'replaced' });
    await second.receive(1);
    second.send({ type: 'ack' });
    first.call(1, 'getParts');
    first.send({ type: 'ack' });
    events.emit('progress', { loadedBytes: 1, totalBytes: 4 });
    await second.answers();
    assert.deepEqual(calls, []);
    assert.equal(first.received.length, 2);
  });

  it('RST from either side ends the connection', async (t) => {
    const { viewer, calls, events } = createViewer();
    const { host, connect, channel } = await establish(t, viewer);
    host.send({ type: 'rst', reason: 'closed' });
    host.call(1, 'play');
    await host.closed;
    const second = connect();
    await second.receive(1);
    events.emit('progress', { loadedBytes: 1, totalBytes: 4 });
    channel[Symbol.dispose]();
    assert.deepEqual((await second.receive(2))[1], { type: 'rst', reason: 'closed' });
    assert.deepEqual(calls, []);
    assert.equal(host.received.length, 1);
  });
});

describe('messages that are not of the protocol', () => {
  const garbage: unknown[] = [
    undefined,
    null,
    0,
    '',
    'call',
    [],
    new Map([['type', 'call']]),
    {},
    { type: 'call' },
    { type: ['call'], id: 1, method: 'play', args: [] },
    { type: 'toString', id: 1 },
    { type: '__proto__', id: 1 },
    { type: 'syn', id: 1, method: 'play', args: [] },
    ...[undefined, null, '1', 1.5, Number.NaN, 1n, {}, [1]].map((id) => ({
      type: 'call',
      id,
      method: 'play',
      args: [],
    })),
  ];

  it('are ignored', async (t) => {
    const { viewer, calls } = createViewer();
    const { host } = await establish(t, viewer);
    for (const message of garbage) host.send(message);
    assert.deepEqual(await host.answers(), []);
    assert.deepEqual(calls, []);
  });
});

describe('a call', () => {
  const cyclic: Message = { orbit: '0deg' };
  cyclic.self = cyclic;
  const rejected: [reason: string, call: Message, code: string][] = [
    ...['', 'constructor', '__proto__', 'hasOwnProperty', 'toString', 'on', 'state', 'then'].map(
      (method): [string, Message, string] => [
        `of '${method}'`,
        { method, args: [] },
        'viewer.unknown-method',
      ],
    ),
    ['without a method', { args: [] }, 'viewer.unknown-method'],
    ['with a method that is an object', { method: { toString: 1 } }, 'viewer.unknown-method'],
    ['with a list of methods', { method: ['play'], args: [] }, 'viewer.unknown-method'],
    ['without arguments', { method: 'play' }, 'viewer.invalid-argument'],
    ['with arguments by name', { method: 'seek', args: { time: 1 } }, 'viewer.invalid-argument'],
    ['with too many arguments', { method: 'play', args: [1] }, 'viewer.invalid-argument'],
    [
      'with a million arguments',
      { method: 'play', args: new Array(1e6).fill(0) },
      'viewer.invalid-argument',
    ],
    ['with a cycle', { method: 'setCamera', args: [cyclic] }, 'viewer.invalid-argument'],
  ];
  for (const [reason, call, code] of rejected) {
    it(`${reason} is rejected with ${code}`, async (t) => {
      const { viewer, calls } = createViewer();
      const { host } = await establish(t, viewer);
      host.send({ type: 'call', id: 7, ...call });
      const [answer, ...others] = await host.answers();
      assert.deepEqual([answer?.type, answer?.id, answer?.code], ['error', 7, code]);
      assert.ok(String(answer?.message).length < 1000);
      assert.deepEqual(others, []);
      assert.deepEqual(calls, []);
    });
  }

  it('is carried out with its arguments, and answered with the result', async (t) => {
    const parts = [{ id: 0, name: 'Seat', visible: true, triangles: 12, children: [] }];
    const { viewer, calls } = createViewer({ getParts: () => parts, setVariant: async () => {} });
    const { host } = await establish(t, viewer);
    host.call(1, 'getParts');
    host.call(1e15, 'setVariant', 'Oak');
    assert.deepEqual(await host.answers(), [
      { type: 'result', id: 1, value: parts },
      { type: 'result', id: 1e15 },
    ]);
    assert.deepEqual(calls, [['getParts'], ['setVariant', 'Oak']]);
  });

  const failures: [name: string, error: unknown, code: string, message?: RegExp][] = [
    ['a viewer error', new ViewerError('no-webgl'), 'viewer.no-webgl', /provide WebGL 2\.$/],
    ['an unexpected error', new Error('a grant: secret'), 'viewer.failed', /^The viewer failed\.$/],
    ['an error with another code', Object.assign(new Error('x'), { code: 'E1' }), 'viewer.failed'],
    ['an error that is called like a property', { code: 'constructor' }, 'viewer.failed'],
    ['nothing', undefined, 'viewer.failed'],
  ];
  for (const [name, error, code, message = /./] of failures) {
    it(`that throws ${name} fails with ${code}`, async (t) => {
      t.mock.method(console, 'error', () => {});
      const throwError = () => {
        throw error;
      };
      const { viewer } = createViewer({ play: throwError });
      const { host } = await establish(t, viewer);
      host.call(1, 'play');
      const [answer] = await host.answers();
      assert.equal(answer?.code, code);
      assert.match(String(answer?.message), message);
    });
  }

  it('with a result that cannot be sent fails', async (t) => {
    t.mock.method(console, 'error', () => {});
    const { viewer } = createViewer({ getParts: () => [() => {}] });
    const { host } = await establish(t, viewer);
    host.call(1, 'getParts');
    const [answer] = await host.answers();
    assert.equal(answer?.code, 'viewer.failed');
  });
});

describe('a call before the model', () => {
  it('waits, in order; one that needs nothing does not wait', async (t) => {
    const { viewer, calls, events } = createViewer();
    viewer.state = 'loading';
    const { host } = await establish(t, viewer);
    host.call(1, 'setVariant', 'Oak');
    host.call(2, 'setVariant', 'Ash');
    host.call(3, 'getCamera');
    host.call(4, 'getOptions');
    assert.deepEqual(await host.answers(), [{ type: 'result', id: 4 }]);
    viewer.state = 'preview';
    events.emit('statechange', { state: 'preview', previous: 'loading' });
    await host.answers();
    assert.deepEqual(calls, [['getOptions'], ['getCamera']]);
    viewer.state = 'ready';
    events.emit('statechange', { state: 'ready', previous: 'preview' });
    await host.answers();
    assert.deepEqual(calls.slice(2), [
      ['setVariant', 'Oak'],
      ['setVariant', 'Ash'],
    ]);
  });

  for (const state of ['preview', 'failed'] as const) {
    it(`fails if the model fails, in the state ${state}`, async (t) => {
      const { viewer, calls, events } = createViewer();
      viewer.state = state === 'preview' ? 'preview' : 'loading';
      const { host } = await establish(t, viewer);
      host.call(1, 'getParts');
      await host.answers();
      viewer.state = state;
      viewer.error = new ViewerError('interrupted');
      events.emit('error', { error: viewer.error });
      host.call(2, 'getParts');
      const answers = await host.answers();
      assert.deepEqual(
        answers.map(({ id, code }) => [id, code]),
        [
          [1, 'viewer.not-ready'],
          [2, 'viewer.not-ready'],
        ],
      );
      assert.match(String(answers[0]?.message), /viewer\.interrupted/);
      assert.deepEqual(calls, []);
    });
  }

  it('fails after the time limit, and is not carried out later', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { viewer, calls, events } = createViewer({ play: () => new Promise(() => {}) });
    viewer.state = 'loading';
    const { host } = await establish(t, viewer);
    host.call(1, 'setVariant', 'Oak');
    await host.answers();
    t.mock.timers.tick(CALL_TIMEOUT_MS - 1);
    assert.deepEqual(await host.answers(), []);
    t.mock.timers.tick(1);
    assert.deepEqual(
      (await host.answers()).map(({ id, code }) => [id, code]),
      [[1, 'viewer.timeout']],
    );
    viewer.state = 'ready';
    events.emit('statechange', { state: 'ready', previous: 'loading' });
    host.call(2, 'play');
    await host.answers();
    t.mock.timers.tick(CALL_TIMEOUT_MS);
    assert.equal((await host.answers()).length, 2);
    assert.deepEqual(calls, [['play']]);
  });

  it('is not carried out if the connection ends', async (t) => {
    const { viewer, calls, events } = createViewer();
    viewer.state = 'loading';
    const { host, connect } = await establish(t, viewer);
    host.call(1, 'setVariant', 'Oak');
    await host.answers();
    const second = connect();
    await second.receive(1);
    viewer.state = 'ready';
    events.emit('statechange', { state: 'ready', previous: 'loading' });
    second.send({ type: 'ack' });
    await second.answers();
    assert.deepEqual(calls, []);
  });

  it('is rejected if too many wait; later calls are accepted again', async (t) => {
    const { viewer, calls, events } = createViewer();
    viewer.state = 'loading';
    const { host } = await establish(t, viewer);
    const count = MAX_PENDING_CALLS + 1000;
    for (let id = 1; id <= count; id++) host.call(id, 'play');
    await host.receive(1 + 1000);
    for (const { code } of host.received.slice(1)) assert.equal(code, 'viewer.too-many-calls');
    viewer.state = 'ready';
    events.emit('statechange', { state: 'ready', previous: 'loading' });
    await host.receive(1 + count);
    host.call(count + 1, 'pause');
    await host.receive(2 + count);
    assert.equal(calls.length, MAX_PENDING_CALLS + 1);
  });
});

describe('events', () => {
  it('camera-change is sent once per frame, with the latest view', async (t) => {
    const frames: (() => void)[] = [];
    Object.assign(globalThis, {
      requestAnimationFrame: (frame: () => void) => frames.push(frame),
      cancelAnimationFrame: () => {},
    });
    t.after(() => {
      Reflect.deleteProperty(globalThis, 'requestAnimationFrame');
      Reflect.deleteProperty(globalThis, 'cancelAnimationFrame');
    });
    const { viewer, events } = createViewer();
    const { host } = await establish(t, viewer);
    await host.answers();
    const target = { x: 0, y: 0, z: 0 };
    for (const fieldOfView of [1, 2, 3]) {
      const orbit = { theta: 0, phi: 1, radius: 2 };
      events.emit('camerachange', { orbit, target, fieldOfView, source: 'user' });
    }
    assert.equal(frames.length, 1);
    frames[0]?.();
    const received = (await host.receive(3)).filter(({ type }) => type === 'event');
    assert.equal(received.length, 1);
    const { detail } = received[0] as { detail: Message };
    assert.equal(detail.fieldOfView, 3);
  });

  it('load is sent for each model that was loaded, model-visibility for each change', async (t) => {
    const { viewer, events } = createViewer();
    const { host, setVisible } = await establish(t, viewer);
    await host.answers();
    const change = (state: ViewerState, previous: ViewerState) =>
      events.emit('statechange', { state, previous });
    const showModel = (isPreview: boolean) =>
      events.emit('modelchange', { isPreview, model: undefined as never });
    showModel(true);
    change('preview', 'loading');
    showModel(false);
    change('ready', 'preview');
    setVisible(true);
    events.emit('reveal', undefined);
    events.emit('reveal', undefined);
    setVisible(false);
    change('failed', 'ready');
    setVisible(true);
    change('ready', 'failed');
    await host.answers();
    assert.deepEqual(
      host.received
        .filter(({ type }) => type === 'event')
        .map(({ name, detail }) => [name, detail]),
      [
        ['load', {}],
        ['model-visibility', { visible: true }],
        ['model-visibility', { visible: false }],
        ['model-visibility', { visible: true }],
      ],
    );
  });

  it('error and progress have the values of the protocol', async (t) => {
    const { viewer, events } = createViewer();
    const { host } = await establish(t, viewer);
    await host.answers();
    const error = new ViewerError('offline');
    events.emit('error', { error });
    events.emit('progress', { loadedBytes: 0, totalBytes: 0 });
    await host.answers();
    assert.deepEqual(
      host.received.filter(({ type }) => type === 'event').map(({ detail }) => detail),
      [{ code: 'viewer.offline', message: 'The design could not be requested.' }, { loaded: 0 }],
    );
  });
});

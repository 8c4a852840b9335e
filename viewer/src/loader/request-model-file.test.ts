import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { GRANT_HEADER, type PendingModel, type ViewerConfig } from '@cloche/contract/viewer-config';
import { requestModelFile } from './request-model-file.ts';

const [OLD, NEW] = ['?ticket=1.old', '?ticket=2.new'];
const CDN = 'https://cdn.test/embed/assets/';

function createModel(origin: string, ticket: string): PendingModel {
  const toFile = (name: string) => ({ url: `${origin}${name}.glb${ticket}`, bytes: 1 });
  return {
    model: toFile('m'),
    levels: {
      geometries: [{ ...toFile('g'), triangles: 1 }],
      textures: [{ ...toFile('t'), size: 512 }],
    },
  };
}

function createConfig(ticket: string): ViewerConfig & Required<PendingModel> {
  const { model, levels } = createModel(CDN, ticket);
  assert(levels);
  return { design: { id: '', name: '' }, model, levels, grant: 'a-grant', allowedOrigins: [] };
}

/** Answers requests for files with the new ticket, and for the model as given. Returns the requested URLs. */
function mockService(t: TestContext, renewed: () => Response): string[] {
  const requested: string[] = [];
  t.mock.method(globalThis, 'fetch', async (url: string, { headers }: RequestInit) => {
    requested.push(url);
    const isOwn = url.startsWith('/');
    assert.deepEqual(headers, isOwn ? { [GRANT_HEADER]: 'a-grant' } : {});
    if (url === '/embed/model') return renewed();
    return new Response(null, { status: url.endsWith(NEW) ? 200 : 403 });
  });
  return requested;
}

describe('a file whose ticket has expired', () => {
  it('is requested again with a new one, which all files of the model have then', async (t) => {
    const requested = mockService(t, () => Response.json(createModel(CDN, NEW)));
    const config = createConfig(OLD);
    const response = await requestModelFile(config.levels.geometries[0] ?? assert.fail(), config);
    assert.equal(response.status, 200);
    assert.deepEqual(requested, [`${CDN}g.glb${OLD}`, '/embed/model', `${CDN}g.glb${NEW}`]);
    assert.deepEqual({ model: config.model, levels: config.levels }, createModel(CDN, NEW));
    requested.length = 0;
    await requestModelFile(config.levels.textures[0] ?? assert.fail(), config);
    assert.deepEqual(requested, [`${CDN}t.glb${NEW}`]);
  });

  it('is requested again with the ticket that another request has got', async (t) => {
    const requested = mockService(t, () => Response.json(createModel(CDN, NEW)));
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { fetch } = globalThis;
    t.mock.method(globalThis, 'fetch', async (url: string, init: RequestInit) => {
      const response = await fetch(url, init);
      if (url === `${CDN}t.glb${OLD}`) await held;
      return response;
    });
    const config = createConfig(OLD);
    const late = requestModelFile(config.levels.textures[0] ?? assert.fail(), config);
    await requestModelFile(config.model, config);
    release();
    assert.equal((await late).status, 200);
    assert.equal(requested.filter((url) => url === '/embed/model').length, 1);
  });

  it('may be on another origin now', async (t) => {
    mockService(t, () => Response.json(createModel('/embed/assets/', NEW)));
    const config = createConfig(OLD);
    assert.equal((await requestModelFile(config.model, config)).status, 200);
    assert.equal(config.model.url, `/embed/assets/m.glb${NEW}`);
  });

  it('gets the response that says why there is no new one', async (t) => {
    const others = { model: { url: `${CDN}other.glb${NEW}`, bytes: 1 } };
    const rows: [renewed: () => Response, status: number][] = [
      [() => new Response(null, { status: 503 }), 503],
      [() => new Response(null, { status: 401 }), 401],
      [() => Response.json(others), 403],
    ];
    for (const [renewed, status] of rows) {
      const requested = mockService(t, renewed);
      const config = createConfig(OLD);
      assert.equal((await requestModelFile(config.model, config)).status, status);
      assert.deepEqual(requested, [`${CDN}m.glb${OLD}`, '/embed/model']);
    }
  });

  it('is not received if there is no connection, and can be requested again later', async (t) => {
    let isConnected = false;
    const requested = mockService(t, () => {
      if (!isConnected) throw new TypeError('Failed to fetch');
      return Response.json(createModel(CDN, NEW));
    });
    const config = createConfig(OLD);
    const [model, texture] = [config.model, config.levels.textures[0] ?? assert.fail()];
    const results = await Promise.allSettled(
      [model, texture].map((file) => requestModelFile(file, config)),
    );
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(requested.filter((url) => url === '/embed/model').length, 1);
    isConnected = true;
    assert.equal((await requestModelFile(model, config)).status, 200);
  });

  it('is not received if the service does not answer, and can be requested again later', async (t) => {
    let isAnswering = false;
    const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>();
    mockService(t, () => Response.json(createModel(CDN, NEW)));
    const { fetch } = globalThis;
    t.mock.method(globalThis, 'fetch', (url: string, init: RequestInit) => {
      if (url !== '/embed/model' || isAnswering) return fetch(url, init);
      ask();
      return new Promise(() => undefined);
    });
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const config = createConfig(OLD);
    const stalled = assert.rejects(requestModelFile(config.model, config), /stalled/);
    await isAsked;
    t.mock.timers.tick(30_000);
    await stalled;
    isAnswering = true;
    assert.equal((await requestModelFile(config.model, config)).status, 200);
  });

  it('is refused with the same problem as another one', async (t) => {
    const requested = mockService(t, () => Response.json({ code: 'embed.grant' }, { status: 403 }));
    const config = createConfig(OLD);
    const files = [config.model, config.levels.textures[0] ?? assert.fail()];
    const responses = await Promise.all(files.map((file) => requestModelFile(file, config)));
    for (const response of responses)
      assert.deepEqual(await response.json(), { code: 'embed.grant' });
    assert.equal(requested.filter((url) => url === '/embed/model').length, 1);
  });
});

it('a file without a ticket is requested once', async (t) => {
  const requested = mockService(t, () => assert.fail('there is no CDN'));
  const file = { url: '/embed/assets/m.glb', bytes: 1 };
  const config = { ...createConfig(OLD), model: file };
  assert.equal((await requestModelFile(file, config)).status, 403);
  assert.deepEqual(requested, ['/embed/assets/m.glb']);
});

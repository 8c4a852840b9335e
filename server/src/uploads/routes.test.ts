import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openService } from '../../testing/harness.ts';
import { makeBox } from '../../testing/models.ts';
import {
  ask,
  type Caller,
  head,
  issue,
  Line,
  openDatabase,
  upload,
} from '../../testing/requests.ts';
import {
  assertProblem,
  begin,
  kept,
  look,
  makeLarge,
  metadata,
  PIECE,
  piece,
  TUS,
} from '../../testing/tus.ts';

const HOUR = 60 * 60 * 1000;
const BOX = makeBox();
const NOBODY = '/v1/uploads/0123456789abcdef0123456789abcdef';

type Answer = Awaited<ReturnType<typeof ask>>;

async function count(service: Caller): Promise<number> {
  return (await ask(service, 'GET', '/v1/designs')).json().items.length;
}

describe('an answer', () => {
  it('tells what is spoken here, and nothing to browsers', async (t) => {
    const service = await openService(t);
    const path = await begin(service, 10);
    const answers = [
      await ask(service, 'OPTIONS', '/v1/uploads'),
      await ask(service, 'OPTIONS', path),
      await look(service, path),
      await piece(service, path, Buffer.from('glTF')),
      await look(service, path),
      await piece(service, path, Buffer.from('glTF'), 3),
    ];
    for (const { headers } of answers) {
      assert.equal(headers['tus-resumable'], '1.0.0');
      assert.equal(headers['cache-control'], 'no-store');
      assert.deepEqual(
        Object.keys(headers).filter((name) => name.startsWith('access-control')),
        [],
      );
    }
    const [options, , fresh, sent, later] = answers as [Answer, Answer, Answer, Answer, Answer];
    assert.equal(options.statusCode, 204);
    assert.equal(options.headers['tus-max-size'], String(8 * 1024 * 1024));
    assert.match(String(options.headers['tus-extension']), /creation.*termination.*expiration/);
    assert.deepEqual([fresh.statusCode, fresh.headers['upload-offset']], [200, '0']);
    assert.equal(fresh.headers['upload-length'], '10');
    assert.deepEqual([sent.statusCode, sent.headers['upload-offset']], [204, '4']);
    assert.match(String(sent.headers['upload-expires']), / GMT$/);
    assert.equal(later.headers['upload-offset'], '4');
  });

  it('401, 403: without a token that may write', async (t) => {
    const service = await openService(t);
    const reader = {
      ...service,
      ...(await issue(service, { capabilities: ['read'], origins: [] })),
    };
    const path = await begin(service, 10);
    for (const [method, url] of [
      ['POST', '/v1/uploads'],
      ['PATCH', path],
      ['DELETE', path],
      ['OPTIONS', path],
    ] as const) {
      const headers = { ...PIECE, 'upload-offset': '0' };
      assertProblem(await ask(reader, method, url, undefined, headers), 403, 'token.capability');
      const nobody = { ...headers, authorization: '' };
      assertProblem(await ask(service, method, url, undefined, nobody), 401, 'token.missing');
    }
  });
});

describe('/v1/uploads/{id}', () => {
  it('404: for a token that does not reach its design, and for nothing', async (t) => {
    const service = await openService(t);
    const [mine, other] = [await upload(service, 'A'), await upload(service, 'B')];
    const wish = { capabilities: ['write'], origins: [], designs: [mine.id] };
    const narrow = { ...service, ...(await issue(service, wish)) };
    const within = await begin(service, 8, metadata({ design: mine.id }));
    assert.equal((await look(narrow, within)).statusCode, 200);
    const paths = [
      await begin(service, 8),
      await begin(service, 8, metadata({ design: other.id })),
    ];
    for (const path of [...paths, NOBODY, '/v1/uploads/..%2fcloche.sqlite', '/v1/uploads/a']) {
      assertProblem(await look(narrow, path), 404, 'upload.unknown');
      assertProblem(await piece(narrow, path, BOX), 404, 'upload.unknown');
      const gone = await ask(narrow, 'DELETE', path, undefined, TUS);
      assertProblem(gone, 404, 'upload.unknown');
    }
    for (const path of paths) assert.equal((await look(service, path)).statusCode, 200);
  });

  it('404: for another user', async (t) => {
    const service = await openService(t);
    const path = await begin(service, 8);
    const { id, token } = await issue(service, { capabilities: ['write'], origins: [] });
    const database = openDatabase(t, service);
    database.exec("INSERT INTO user VALUES ('usr_other', '2026-01-01T00:00:00.000Z')");
    database.exec(`UPDATE token SET user_id = 'usr_other' WHERE id = '${id}'`);
    const stranger = { ...service, token };
    assert.equal((await ask(stranger, 'OPTIONS', path)).statusCode, 204);
    assertProblem(await look(stranger, path), 404, 'upload.unknown');
  });

  it('409: bytes that belong elsewhere', async (t) => {
    const service = await openService(t);
    const path = await begin(service, BOX.length);
    await piece(service, path, BOX.subarray(0, 100));
    for (const offset of [0, 99, 101]) {
      assertProblem(await piece(service, path, BOX, offset), 409, 'upload.offset');
    }
    assert.equal((await look(service, path)).headers['upload-offset'], '100');
  });

  it('413: bytes past the end, announced or not; what was there stays', async (t) => {
    const service = await openService(t, { maxUploadBytes: 10_000 });
    const path = await begin(service, 6);
    assertProblem(await piece(service, path, Buffer.alloc(7)), 413, 'request.too-large');
    const deferred = { ...TUS, 'upload-defer-length': '1' };
    const begun = await ask(service, 'POST', '/v1/uploads', undefined, deferred);
    const late = new URL(String(begun.headers.location)).pathname;
    assertProblem(await piece(service, late, Buffer.alloc(10_001)), 413, 'design.too-large');
    const length = { ...PIECE, 'upload-offset': '0', 'upload-length': '10001' };
    assertProblem(
      await ask(service, 'PATCH', late, Buffer.alloc(1), length),
      413,
      'design.too-large',
    );
    for (const one of [path, late]) {
      assert.equal((await look(service, one)).headers['upload-offset'], '0');
    }
  });

  it('415: bytes that come as something else', async (t) => {
    const service = await openService(t);
    const path = await begin(service, 6);
    const headers = { ...PIECE, 'upload-offset': '0', 'content-type': 'model/gltf-binary' };
    assertProblem(await ask(service, 'PATCH', path, BOX, headers), 415, 'request.media-type');
  });

  it('204: the last piece a second time makes no second design', async (t) => {
    const service = await openService(t);
    const path = await begin(service, BOX.length);
    const first = await piece(service, path, BOX);
    assert.equal(first.statusCode, 204);
    const design = first.headers['cloche-design'];
    assert.match(String(design), /^cloche:design:/);
    assertProblem(await piece(service, path, BOX), 409, 'upload.offset');
    const again = await piece(service, path, Buffer.alloc(0), BOX.length);
    assert.deepEqual([again.statusCode, again.headers['cloche-design']], [204, design]);
    const asked = await look(service, path);
    assert.deepEqual([asked.statusCode, asked.headers['cloche-design']], [200, design]);
    assert.equal(asked.headers['upload-offset'], String(BOX.length));
    assert.equal(await count(service), 1);
  });

  it('204: many who ask while it is finished hear of one design', async (t) => {
    const service = await openService(t);
    const bytes = makeLarge(2 * 1024 * 1024);
    const path = await begin(service, bytes.length);
    await piece(service, path, bytes.subarray(0, -1));
    const last = piece(service, path, bytes.subarray(-1), bytes.length - 1);
    const others = Array.from({ length: 8 }, () => look(service, path));
    const designs = (await Promise.all([last, ...others]))
      .filter(({ headers }) => headers['upload-offset'] === String(bytes.length))
      .map(({ headers }) => headers['cloche-design']);
    assert.equal(new Set(designs).size, 1);
    assert.equal(await count(service), 1);
  });

  it('404: after it was deleted, with its bytes; its design stays', async (t) => {
    const service = await openService(t);
    const paths = [await begin(service, BOX.length), await begin(service, BOX.length)];
    await piece(service, String(paths[0]), BOX.subarray(0, 100));
    await piece(service, String(paths[1]), BOX);
    for (const path of paths) {
      assert.equal((await ask(service, 'DELETE', path, undefined, TUS)).statusCode, 204);
      assertProblem(await look(service, path), 404, 'upload.unknown');
    }
    assert.deepEqual(await kept(service), []);
    assert.equal(await count(service), 1);
  });

  it('410: a day later', async (t) => {
    const service = await openService(t);
    const path = await begin(service, BOX.length);
    service.pass(24 * HOUR - 60_000);
    assert.equal((await look(service, path)).statusCode, 200);
    service.pass(60_000);
    assertProblem(await look(service, path), 410, 'upload.expired');
    assertProblem(await piece(service, path, BOX), 410, 'upload.expired');
    const gone = await ask(service, 'DELETE', path, undefined, TUS);
    assertProblem(gone, 410, 'upload.expired');
  });

  it('408: when nothing comes for a while; what came is kept', async (t) => {
    const service = await openService(t, { listen: true, timeouts: { uploadStallMs: 50 } });
    const path = await begin(service, 100);
    const line = await Line.open(t, service);
    const sizes = { ...PIECE, 'Upload-Offset': 0, 'Content-Length': 100 };
    line.send(head(service, `PATCH ${path}`, sizes)).send('glTF');
    const answer = await line.hear();
    assert.equal(answer?.status, 408);
    assert.equal(answer?.headers['tus-resumable'], '1.0.0');
    assert.equal(JSON.parse(answer?.body ?? '').code, 'request.timeout');
    assert.equal((await look(service, path)).headers['upload-offset'], '4');
  });

  it('is taken over from a line that says nothing', async (t) => {
    const service = await openService(t, { listen: true });
    const path = await begin(service, BOX.length);
    const line = await Line.open(t, service);
    const sizes = { ...PIECE, 'Upload-Offset': 0, 'Content-Length': BOX.length };
    line.send(head(service, `PATCH ${path}`, sizes)).send(BOX.subarray(0, 100));
    const file = join(service.folder, 'uploads', basename(path));
    while ((await stat(file)).size < 100) await sleep(5);
    const { headers } = await look(service, path);
    assert.equal(headers['upload-offset'], '100');
    const rest = await piece(service, path, BOX.subarray(100), 100);
    assert.equal(rest.statusCode, 204);
    assert.match(String(rest.headers['cloche-design']), /^cloche:design:/);
  });
});

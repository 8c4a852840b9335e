import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer } from '../../testing/harness.ts';
import {
  formatRequestHead,
  issueToken,
  openServerDatabase,
  RawConnection,
  sendRequest,
  type TestClient,
  uploadTestDesign,
} from '../../testing/requests.ts';
import {
  assertTusProblem,
  createUpload,
  headUpload,
  listUploadDirectory,
  makeLargeGlb,
  patchUpload,
  TUS_HEADERS,
  TUS_PATCH_HEADERS,
  uploadMetadataHeader,
} from '../../testing/tus-requests.ts';

const HOUR_MS = 60 * 60 * 1000;
const MODEL = makeBox();
const UNKNOWN_UPLOAD_PATH = '/v1/uploads/0123456789abcdef0123456789abcdef';

type InjectResponse = Awaited<ReturnType<typeof sendRequest>>;

async function countDesigns(service: TestClient): Promise<number> {
  return (await sendRequest(service, 'GET', '/v1/designs')).json().items.length;
}

describe('an answer', () => {
  it('tells what is spoken here, and nothing to browsers', async (t) => {
    const service = await openTestServer(t);
    const path = await createUpload(service, 10);
    const answers = [
      await sendRequest(service, 'OPTIONS', '/v1/uploads'),
      await sendRequest(service, 'OPTIONS', path),
      await headUpload(service, path),
      await patchUpload(service, path, Buffer.from('glTF')),
      await headUpload(service, path),
      await patchUpload(service, path, Buffer.from('glTF'), 3),
    ];
    for (const { headers } of answers) {
      assert.equal(headers['tus-resumable'], '1.0.0');
      assert.equal(headers['cache-control'], 'no-store');
      assert.deepEqual(
        Object.keys(headers).filter((name) => name.startsWith('access-control')),
        [],
      );
    }
    const [options, , fresh, sent, later] = answers as [
      InjectResponse,
      InjectResponse,
      InjectResponse,
      InjectResponse,
      InjectResponse,
    ];
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
    const service = await openTestServer(t);
    const reader = {
      ...service,
      ...(await issueToken(service, { capabilities: ['read'], origins: [] })),
    };
    const path = await createUpload(service, 10);
    for (const [method, url] of [
      ['POST', '/v1/uploads'],
      ['PATCH', path],
      ['DELETE', path],
      ['OPTIONS', path],
    ] as const) {
      const headers = { ...TUS_PATCH_HEADERS, 'upload-offset': '0' };
      assertTusProblem(
        await sendRequest(reader, method, url, undefined, headers),
        403,
        'token.capability',
      );
      const nobody = { ...headers, authorization: '' };
      assertTusProblem(
        await sendRequest(service, method, url, undefined, nobody),
        401,
        'token.missing',
      );
    }
  });
});

describe('/v1/uploads/{id}', () => {
  it('404: for a token that does not reach its design, and for nothing', async (t) => {
    const service = await openTestServer(t);
    const [mine, other] = [
      await uploadTestDesign(service, 'A'),
      await uploadTestDesign(service, 'B'),
    ];
    const wish = { capabilities: ['write'], origins: [], designs: [mine.id] };
    const narrow = { ...service, ...(await issueToken(service, wish)) };
    const within = await createUpload(service, 8, uploadMetadataHeader({ design: mine.id }));
    assert.equal((await headUpload(narrow, within)).statusCode, 200);
    const paths = [
      await createUpload(service, 8),
      await createUpload(service, 8, uploadMetadataHeader({ design: other.id })),
    ];
    for (const path of [
      ...paths,
      UNKNOWN_UPLOAD_PATH,
      '/v1/uploads/..%2fcloche.sqlite',
      '/v1/uploads/a',
    ]) {
      assertTusProblem(await headUpload(narrow, path), 404, 'upload.unknown');
      assertTusProblem(await patchUpload(narrow, path, MODEL), 404, 'upload.unknown');
      const gone = await sendRequest(narrow, 'DELETE', path, undefined, TUS_HEADERS);
      assertTusProblem(gone, 404, 'upload.unknown');
    }
    for (const path of paths) assert.equal((await headUpload(service, path)).statusCode, 200);
  });

  it('404: for another user', async (t) => {
    const service = await openTestServer(t);
    const path = await createUpload(service, 8);
    const { id, token } = await issueToken(service, { capabilities: ['write'], origins: [] });
    const database = openServerDatabase(t, service);
    database.exec("INSERT INTO user VALUES ('usr_other', '2026-01-01T00:00:00.000Z')");
    database.exec(`UPDATE token SET user_id = 'usr_other' WHERE id = '${id}'`);
    const stranger = { ...service, token };
    assert.equal((await sendRequest(stranger, 'OPTIONS', path)).statusCode, 204);
    assertTusProblem(await headUpload(stranger, path), 404, 'upload.unknown');
  });

  it('409: bytes that belong elsewhere', async (t) => {
    const service = await openTestServer(t);
    const path = await createUpload(service, MODEL.length);
    await patchUpload(service, path, MODEL.subarray(0, 100));
    for (const offset of [0, 99, 101]) {
      assertTusProblem(await patchUpload(service, path, MODEL, offset), 409, 'upload.offset');
    }
    assert.equal((await headUpload(service, path)).headers['upload-offset'], '100');
  });

  it('413: bytes past the end, announced or not; what was there stays', async (t) => {
    const service = await openTestServer(t, { maxUploadBytes: 10_000 });
    const path = await createUpload(service, 6);
    assertTusProblem(await patchUpload(service, path, Buffer.alloc(7)), 413, 'request.too-large');
    const deferred = { ...TUS_HEADERS, 'upload-defer-length': '1' };
    const begun = await sendRequest(service, 'POST', '/v1/uploads', undefined, deferred);
    const late = new URL(String(begun.headers.location)).pathname;
    assertTusProblem(
      await patchUpload(service, late, Buffer.alloc(10_001)),
      413,
      'design.too-large',
    );
    const length = { ...TUS_PATCH_HEADERS, 'upload-offset': '0', 'upload-length': '10001' };
    assertTusProblem(
      await sendRequest(service, 'PATCH', late, Buffer.alloc(1), length),
      413,
      'design.too-large',
    );
    for (const one of [path, late]) {
      assert.equal((await headUpload(service, one)).headers['upload-offset'], '0');
    }
  });

  it('415: bytes that come as something else', async (t) => {
    const service = await openTestServer(t);
    const path = await createUpload(service, 6);
    const headers = {
      ...TUS_PATCH_HEADERS,
      'upload-offset': '0',
      'content-type': 'model/gltf-binary',
    };
    assertTusProblem(
      await sendRequest(service, 'PATCH', path, MODEL, headers),
      415,
      'request.media-type',
    );
  });

  it('204: the last piece a second time makes no second design', async (t) => {
    const service = await openTestServer(t);
    const path = await createUpload(service, MODEL.length);
    const first = await patchUpload(service, path, MODEL);
    assert.equal(first.statusCode, 204);
    const design = first.headers['cloche-design'];
    assert.match(String(design), /^cloche:design:/);
    assertTusProblem(await patchUpload(service, path, MODEL), 409, 'upload.offset');
    const again = await patchUpload(service, path, Buffer.alloc(0), MODEL.length);
    assert.deepEqual([again.statusCode, again.headers['cloche-design']], [204, design]);
    const asked = await headUpload(service, path);
    assert.deepEqual([asked.statusCode, asked.headers['cloche-design']], [200, design]);
    assert.equal(asked.headers['upload-offset'], String(MODEL.length));
    assert.equal(await countDesigns(service), 1);
  });

  it('204: many who ask while it is finished hear of one design', async (t) => {
    const service = await openTestServer(t);
    const bytes = makeLargeGlb(2 * 1024 * 1024);
    const path = await createUpload(service, bytes.length);
    await patchUpload(service, path, bytes.subarray(0, -1));
    const last = patchUpload(service, path, bytes.subarray(-1), bytes.length - 1);
    const others = Array.from({ length: 8 }, () => headUpload(service, path));
    const designs = (await Promise.all([last, ...others]))
      .filter(({ headers }) => headers['upload-offset'] === String(bytes.length))
      .map(({ headers }) => headers['cloche-design']);
    assert.equal(new Set(designs).size, 1);
    assert.equal(await countDesigns(service), 1);
  });

  it('404: after it was deleted, with its bytes; its design stays', async (t) => {
    const service = await openTestServer(t);
    const paths = [
      await createUpload(service, MODEL.length),
      await createUpload(service, MODEL.length),
    ];
    await patchUpload(service, String(paths[0]), MODEL.subarray(0, 100));
    await patchUpload(service, String(paths[1]), MODEL);
    for (const path of paths) {
      assert.equal(
        (await sendRequest(service, 'DELETE', path, undefined, TUS_HEADERS)).statusCode,
        204,
      );
      assertTusProblem(await headUpload(service, path), 404, 'upload.unknown');
    }
    assert.deepEqual(await listUploadDirectory(service), []);
    assert.equal(await countDesigns(service), 1);
  });

  it('410: a day later', async (t) => {
    const service = await openTestServer(t);
    const path = await createUpload(service, MODEL.length);
    service.advanceTime(24 * HOUR_MS - 60_000);
    assert.equal((await headUpload(service, path)).statusCode, 200);
    service.advanceTime(60_000);
    assertTusProblem(await headUpload(service, path), 410, 'upload.expired');
    assertTusProblem(await patchUpload(service, path, MODEL), 410, 'upload.expired');
    const gone = await sendRequest(service, 'DELETE', path, undefined, TUS_HEADERS);
    assertTusProblem(gone, 410, 'upload.expired');
  });

  it('408: when nothing comes for a while; what came is kept', async (t) => {
    const service = await openTestServer(t, { listen: true, timeouts: { uploadStallMs: 50 } });
    const path = await createUpload(service, 100);
    const line = await RawConnection.open(t, service);
    const sizes = { ...TUS_PATCH_HEADERS, 'Upload-Offset': 0, 'Content-Length': 100 };
    line.write(formatRequestHead(service, `PATCH ${path}`, sizes)).write('glTF');
    const answer = await line.readResponse();
    assert.equal(answer?.status, 408);
    assert.equal(answer?.headers['tus-resumable'], '1.0.0');
    assert.equal(JSON.parse(answer?.body ?? '').code, 'request.timeout');
    assert.equal((await headUpload(service, path)).headers['upload-offset'], '4');
  });

  it('is taken over from a line that says nothing', async (t) => {
    const service = await openTestServer(t, { listen: true });
    const path = await createUpload(service, MODEL.length);
    const line = await RawConnection.open(t, service);
    const sizes = { ...TUS_PATCH_HEADERS, 'Upload-Offset': 0, 'Content-Length': MODEL.length };
    line.write(formatRequestHead(service, `PATCH ${path}`, sizes)).write(MODEL.subarray(0, 100));
    const file = join(service.dataDirectory, 'uploads', basename(path));
    while ((await stat(file)).size < 100) await sleep(5);
    const { headers } = await headUpload(service, path);
    assert.equal(headers['upload-offset'], '100');
    const rest = await patchUpload(service, path, MODEL.subarray(100), 100);
    assert.equal(rest.statusCode, 204);
    assert.match(String(rest.headers['cloche-design']), /^cloche:design:/);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeBox, makeLargeGlb } from '@cloche/pipeline/testing/models';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { openTestServer } from '../../testing/harness.ts';
import { formatRequestHead, RawConnection } from '../../testing/raw-connection.ts';
import {
  issueToken,
  sendRequest,
  type TestClient,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';
import {
  assertTusProblem,
  createUpload,
  headUpload,
  listStoredUploads,
  patchUpload,
  readStoredOffset,
  TUS_HEADERS,
  TUS_PATCH_HEADERS,
  uploadMetadataHeader,
} from '../../testing/tus-requests.ts';

const HOUR_MS = 60 * 60 * 1000;
const MODEL = makeBox();
const UNKNOWN_UPLOAD_PATH = '/v1/uploads/0123456789abcdef0123456789abcdef';

type InjectedResponse = Awaited<ReturnType<typeof sendRequest>>;

async function countDesigns(service: TestClient): Promise<number> {
  return (await sendRequest(service, 'GET', '/v1/designs')).json().items.length;
}

describe('/v1/uploads', () => {
  it('200, 204, 409: responses have the tus headers and no CORS headers', async (t) => {
    const service = await openTestServer(t);
    const path = await createUpload(service, 10);
    const responses = [
      await sendRequest(service, 'OPTIONS', '/v1/uploads'),
      await sendRequest(service, 'OPTIONS', path),
      await headUpload(service, path),
      await patchUpload(service, path, Buffer.from('glTF')),
      await headUpload(service, path),
      await patchUpload(service, path, Buffer.from('glTF'), 3),
    ];
    for (const { headers } of responses) {
      assert.equal(headers['tus-resumable'], '1.0.0');
      assert.equal(headers['cache-control'], 'no-store');
      assert.deepEqual(
        Object.keys(headers).filter((name) => name.startsWith('access-control')),
        [],
      );
    }
    const [options, , created, patched, resumed] = responses as [
      InjectedResponse,
      InjectedResponse,
      InjectedResponse,
      InjectedResponse,
      InjectedResponse,
    ];
    assert.equal(options.statusCode, 204);
    assert.equal(options.headers['tus-max-size'], String(8 * 1024 * 1024));
    assert.match(String(options.headers['tus-extension']), /creation.*termination.*expiration/);
    assert.deepEqual([created.statusCode, created.headers['upload-offset']], [200, '0']);
    assert.equal(created.headers['upload-length'], '10');
    assert.deepEqual([patched.statusCode, patched.headers['upload-offset']], [204, '4']);
    assert.match(String(patched.headers['upload-expires']), / GMT$/);
    assert.equal(resumed.headers['upload-offset'], '4');
  });

  it('401, 403: no token, or a token without "write"', async (t) => {
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
      const withoutToken = { ...headers, authorization: '' };
      assertTusProblem(
        await sendRequest(service, method, url, undefined, withoutToken),
        401,
        'token.missing',
      );
    }
  });
});

describe('/v1/uploads/{id}', () => {
  it('404: an upload outside the scope of the token, or an unknown one', async (t) => {
    const service = await openTestServer(t);
    const [inScope, outOfScope] = [
      await uploadTestDesign(service, 'A'),
      await uploadTestDesign(service, 'B'),
    ];
    const tokenRequest = { capabilities: ['write'], origins: [], designs: [inScope.id] };
    const limited = { ...service, ...(await issueToken(service, tokenRequest)) };
    const allowed = await createUpload(service, 8, uploadMetadataHeader({ design: inScope.id }));
    assert.equal((await headUpload(limited, allowed)).statusCode, 200);
    const paths = [
      await createUpload(service, 8),
      await createUpload(service, 8, uploadMetadataHeader({ design: outOfScope.id })),
    ];
    for (const path of [
      ...paths,
      UNKNOWN_UPLOAD_PATH,
      '/v1/uploads/..%2fcloche.sqlite',
      '/v1/uploads/a',
    ]) {
      assertTusProblem(await headUpload(limited, path), 404, 'upload.unknown');
      assertTusProblem(await patchUpload(limited, path, MODEL), 404, 'upload.unknown');
      const deleted = await sendRequest(limited, 'DELETE', path, undefined, TUS_HEADERS);
      assertTusProblem(deleted, 404, 'upload.unknown');
    }
    for (const path of paths) assert.equal((await headUpload(service, path)).statusCode, 200);
  });

  it('404: an upload of another user', async (t) => {
    const service = await openTestServer(t);
    const path = await createUpload(service, 8);
    const { id, token } = await issueToken(service, { capabilities: ['write'], origins: [] });
    const database = connectToServerDatabase(t, service);
    await database.exec(
      `INSERT INTO "user" (id, created_at) VALUES ('usr_other', '2026-01-01T00:00:00.000Z')`,
    );
    await database.exec(`UPDATE token SET user_id = 'usr_other' WHERE id = '${id}'`);
    const otherUser = { ...service, token };
    assert.equal((await sendRequest(otherUser, 'OPTIONS', path)).statusCode, 204);
    assertTusProblem(await headUpload(otherUser, path), 404, 'upload.unknown');
  });

  it('409: an Upload-Offset other than the current offset', async (t) => {
    const service = await openTestServer(t);
    const path = await createUpload(service, MODEL.length);
    await patchUpload(service, path, MODEL.subarray(0, 100));
    for (const offset of [0, 99, 101]) {
      assertTusProblem(await patchUpload(service, path, MODEL, offset), 409, 'upload.offset');
    }
    assert.equal((await headUpload(service, path)).headers['upload-offset'], '100');
  });

  it('413: bytes after the end of the upload, with or without Content-Length; nothing is stored', async (t) => {
    const service = await openTestServer(t, { maxUploadBytes: 10_000 });
    const path = await createUpload(service, 6);
    assertTusProblem(await patchUpload(service, path, Buffer.alloc(7)), 413, 'request.too-large');
    const deferred = { ...TUS_HEADERS, 'upload-defer-length': '1' };
    const created = await sendRequest(service, 'POST', '/v1/uploads', undefined, deferred);
    const deferredPath = new URL(String(created.headers.location)).pathname;
    assertTusProblem(
      await patchUpload(service, deferredPath, Buffer.alloc(10_001)),
      413,
      'design.too-large',
    );
    const length = { ...TUS_PATCH_HEADERS, 'upload-offset': '0', 'upload-length': '10001' };
    assertTusProblem(
      await sendRequest(service, 'PATCH', deferredPath, Buffer.alloc(1), length),
      413,
      'design.too-large',
    );
    for (const unchanged of [path, deferredPath]) {
      assert.equal((await headUpload(service, unchanged)).headers['upload-offset'], '0');
    }
  });

  it('415: a body of another media type', async (t) => {
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

  it('204: repeating the last PATCH creates no second design', async (t) => {
    const service = await openTestServer(t);
    const path = await createUpload(service, MODEL.length);
    const first = await patchUpload(service, path, MODEL);
    assert.equal(first.statusCode, 204);
    const design = first.headers['cloche-design'];
    assert.match(String(design), /^cloche:design:/);
    assertTusProblem(await patchUpload(service, path, MODEL), 409, 'upload.offset');
    const repeated = await patchUpload(service, path, Buffer.alloc(0), MODEL.length);
    assert.deepEqual([repeated.statusCode, repeated.headers['cloche-design']], [204, design]);
    const head = await headUpload(service, path);
    assert.deepEqual([head.statusCode, head.headers['cloche-design']], [200, design]);
    assert.equal(head.headers['upload-offset'], String(MODEL.length));
    assert.equal(await countDesigns(service), 1);
  });

  it('200, 204: concurrent requests during completion get the same design', async (t) => {
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

  it('404: a terminated upload; its bytes are deleted, its design is not', async (t) => {
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
    assert.deepEqual(await listStoredUploads(t, service), []);
    assert.equal(await countDesigns(service), 1);
  });

  it('410: an upload expires after 24 hours', async (t) => {
    const service = await openTestServer(t);
    const path = await createUpload(service, MODEL.length);
    service.advanceTime(24 * HOUR_MS - 60_000);
    assert.equal((await headUpload(service, path)).statusCode, 200);
    service.advanceTime(60_000);
    assertTusProblem(await headUpload(service, path), 410, 'upload.expired');
    assertTusProblem(await patchUpload(service, path, MODEL), 410, 'upload.expired');
    const deleted = await sendRequest(service, 'DELETE', path, undefined, TUS_HEADERS);
    assertTusProblem(deleted, 410, 'upload.expired');
  });

  it('408: a PATCH that stalls; the bytes received are stored', async (t) => {
    const service = await openTestServer(t, { listen: true, timeouts: { uploadStallMs: 500 } });
    const path = await createUpload(service, 100);
    const connection = await RawConnection.open(t, service);
    const requestHeaders = { ...TUS_PATCH_HEADERS, 'Upload-Offset': 0, 'Content-Length': 100 };
    connection.write(formatRequestHead(service, `PATCH ${path}`, requestHeaders)).write('glTF');
    const response = await connection.readResponse();
    assert.equal(response?.status, 408);
    assert.equal(response?.headers['tus-resumable'], '1.0.0');
    assert.equal(JSON.parse(response?.body ?? '').code, 'request.timeout');
    assert.equal((await headUpload(service, path)).headers['upload-offset'], '4');
  });

  it('408: a PATCH that is too slow on average; the bytes received are stored', async (t) => {
    const service = await openTestServer(t, { listen: true, timeouts: { uploadStallMs: 300 } });
    const path = await createUpload(service, 10_000);
    const connection = await RawConnection.open(t, service);
    const requestHeaders = { ...TUS_PATCH_HEADERS, 'Upload-Offset': 0, 'Content-Length': 10_000 };
    connection.write(formatRequestHead(service, `PATCH ${path}`, requestHeaders));
    const interval = setInterval(() => connection.write('x'), 20);
    t.after(() => clearInterval(interval));
    const response = await connection.readResponse();
    assert.equal(response?.status, 408);
    assert.match(response?.body ?? '', /less than 1024 bytes per second/);
    assert.ok(Number((await headUpload(service, path)).headers['upload-offset']) > 0);
  });

  it('200: a newer request takes the lock from a stalled PATCH', async (t) => {
    const service = await openTestServer(t, { listen: true });
    const path = await createUpload(service, MODEL.length);
    const connection = await RawConnection.open(t, service);
    const requestHeaders = {
      ...TUS_PATCH_HEADERS,
      'Upload-Offset': 0,
      'Content-Length': MODEL.length,
    };
    connection
      .write(formatRequestHead(service, `PATCH ${path}`, requestHeaders))
      .write(MODEL.subarray(0, 100));
    const database = connectToServerDatabase(t, service);
    await waitUntil(
      'the bytes are stored',
      async () => (await readStoredOffset(database, path)) === 100,
    );
    const { headers } = await headUpload(service, path);
    assert.equal(headers['upload-offset'], '100');
    const rest = await patchUpload(service, path, MODEL.subarray(100), 100);
    assert.equal(rest.statusCode, 204);
    assert.match(String(rest.headers['cloche-design']), /^cloche:design:/);
  });
});

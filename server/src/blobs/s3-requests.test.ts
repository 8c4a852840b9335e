import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { S3Bucket } from './s3-bucket.ts';
import type { FinishedS3Request } from './s3-settings.ts';

const ACCESS = { region: 'eu', accessKeyId: 'key', secretAccessKey: 'secret' };

test('each attempt of a request to S3 is reported with its status', async (t) => {
  const statuses = [503, 200, 404];
  const server = createServer((_request, response) => {
    const status = statuses.shift();
    if (status === undefined) response.destroy();
    else response.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const requests: FinishedS3Request[] = [];
  using bucket = new S3Bucket({
    ...ACCESS,
    ...{ endpoint: `http://127.0.0.1:${port}`, bucket: 'designs', prefix: '' },
    onRequest: (request) => requests.push(request),
  });
  await bucket.delete('a');
  assert.equal(await bucket.findStoredAt('a'), undefined);
  await assert.rejects(bucket.put('a', Buffer.from('a'), '00'));
  const [deleted, , head, put] = requests;
  assert.deepEqual(
    requests.slice(0, 3).map(({ operation, status }) => [operation, status]),
    [
      ['DeleteObject', 503],
      ['DeleteObject', 200],
      ['HeadObject', 404],
    ],
  );
  assert.deepEqual([put?.operation, put?.status], ['PutObject', undefined]);
  for (const request of [deleted, head]) assert.ok((request?.durationMs ?? 0) > 0);
});

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ModelProcessor } from '@cloche/pipeline/model-processor';
import { makeBox } from '@cloche/pipeline/testing/models';
import { fetchDesignEvents } from '../../testing/design-requests.ts';
import { passthroughProcessor } from '../../testing/fake-processing.ts';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { GLB_HEADERS, issueToken, sendRequest } from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';

const WITHOUT_WAIT = { ...GLB_HEADERS, prefer: '' };

test('the files of a user are not processed after all that another user uploaded before', async (t) => {
  const order: string[] = [];
  const allUploaded = Promise.withResolvers<void>();
  const modelProcessor: ModelProcessor = {
    async run(directory, options) {
      const [name = ''] =
        /(?:large|small)-\d/.exec(await readFile(join(directory, 'source'), 'latin1')) ?? [];
      order.push(name);
      await allUploaded.promise;
      return passthroughProcessor.run(directory, options);
    },
  };
  const large = await openTestServer(t, { processing: { modelProcessor, concurrency: 1 } });
  await connectToServerDatabase(t, large).exec(
    "INSERT INTO \"user\" (id, name, created_at) VALUES ('usr_small', 'small', '2026-01-01T00:00:00.000Z')",
  );
  const capabilities = ['read', 'write'];
  const { token } = await issueToken(large, { capabilities, origins: [], user: 'small' });
  const small: TestServer = { ...large, token };
  const upload = async (client: TestServer, name: string): Promise<string> => {
    const file = makeBox({ name });
    const response = await sendRequest(client, 'POST', '/v1/designs', file, WITHOUT_WAIT);
    assert.equal(response.statusCode, 201, response.body);
    return response.json().id;
  };
  const largeIds: string[] = [];
  for (let index = 0; index < 8; index++) largeIds.push(await upload(large, `large-${index}`));
  for (let index = 0; index < 2; index++) await upload(small, `small-${index}`);
  allUploaded.resolve();
  await fetchDesignEvents(large, largeIds.at(-1) ?? '');
  assert.deepEqual(order, [
    ...['large-0', 'small-0', 'large-1', 'small-1'],
    ...['large-2', 'large-3', 'large-4', 'large-5', 'large-6', 'large-7'],
  ]);
});

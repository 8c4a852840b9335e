import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import type { KyselyPlugin } from 'kysely';
import { getFramedDocument } from '../../testing/get-framed-document.ts';
import { openTestServer } from '../../testing/harness.ts';
import { HOST_HEADER, issueToken, uploadTestDesign } from '../../testing/requests.ts';
import { openDatabaseIn } from '../../testing/test-database.ts';
import type { EventSource } from '../events/event.ts';

/** What a node has that has received all changes until now. With PostgreSQL, others cache nothing. */
const CURRENT_EVENTS: EventSource = {
  isCurrent: () => true,
  getLagMs: () => 0,
  subscribe: () => {},
  onMissed: () => {},
};

test('the framed document and the model of an embed that the node knows need no query', async (t) => {
  const dataDirectory = await openTemporaryDirectory(t);
  const { database, close } = await openDatabaseIn(dataDirectory);
  t.after(close);
  // The service itself reads changes and jobs at any time.
  const visits = new AsyncLocalStorage<string[]>();
  const countQueries: KyselyPlugin = {
    transformQuery: ({ node }) => {
      visits.getStore()?.push(node.kind);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const service = await openTestServer(t, {
    dataDirectory,
    database: database.withPlugin(countQueries),
    events: CURRENT_EVENTS,
  });
  const design = await uploadTestDesign(service);
  const { token } = await issueToken(service);
  const visit = async () => {
    const document = await getFramedDocument(service, design.id, token);
    assert.equal(document.statusCode, 200);
    const { grant, model }: ViewerConfig = JSON.parse(
      /id="viewer-config">(.*)<\/script>$/.exec(document.body)?.[1] ?? document.body,
    );
    const headers = { ...HOST_HEADER, 'cloche-grant': grant };
    const { statusCode, rawPayload } = await service.app.inject({ url: model.url, headers });
    assert.deepEqual([statusCode, rawPayload.length], [200, model.bytes]);
  };
  const listQueries = async () => {
    const queries: string[] = [];
    await visits.run(queries, visit);
    return queries;
  };

  assert.notDeepEqual(await listQueries(), [], 'the first visit needs queries');
  assert.deepEqual(await listQueries(), []);
});

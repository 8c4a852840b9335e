import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KyselyPlugin } from 'kysely';
import { openTestDatabase } from '../../testing/test-database.ts';
import { NO_QUOTAS } from './quota.ts';
import { Quotas } from './quotas.ts';

const TIME = '2026-01-01T00:00:00.000Z';
const ONE_DESIGN = { minBytes: 1, maxBytes: 1, designs: 1 };

test('an upload that is stored during the check of another one is counted', async (t) => {
  const database = await openTestDatabase(t);
  let afterQuery = async () => {};
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await afterQuery();
      return result;
    },
  };
  const quotas = new Quotas({
    database: database.withPlugin(plugin),
    limits: { bytes: 0, designs: 1 },
    pendingUploads: { sumPending: () => NO_QUOTAS },
  });
  const first = await quotas.reserve('u', ONE_DESIGN);
  let queries = 0;
  afterQuery = async () => {
    queries += 1;
    // After the last of the three queries, whose result is outdated now.
    if (queries !== 3) return;
    const user = { operator: 0, disabled_at: null, max_megabytes: null, max_designs: null };
    await database
      .insertInto('user')
      .values({ id: 'u', name: 'u', created_at: TIME, ...user })
      .execute();
    await database.insertInto('design').values(DESIGN).execute();
    quotas.recordCommit();
    first[Symbol.dispose]();
  };
  await assert.rejects(quotas.reserve('u', ONE_DESIGN), { code: 'upload.quota' });
  assert.equal(queries, 6);
});

const DESIGN = {
  id: 'd',
  user_id: 'u',
  name: '',
  description: '',
  external_id: null,
  tags: '[]',
  metadata: '{}',
  max_triangles: null,
  shared: 0,
  viewer: '{}',
  status: 'queued',
  revision_id: null,
  last_revision: 0,
  chosen_at_revision: 0,
  sort_name: '',
  search_text: '',
  created_at: TIME,
  updated_at: TIME,
  version: 1,
};

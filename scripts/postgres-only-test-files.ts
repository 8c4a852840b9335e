/**
 * Test files that start a PostgreSQL server of their own for all their tests. With PostgreSQL, they are not run again: each
 * run does the same. Through a connection pooler, they are.
 */
export const POSTGRES_ONLY_TEST_FILES: readonly string[] = [
  'server/src/blobs/backup-lease.test.ts',
  'server/src/blobs/late-removals.test.ts',
  'server/src/blobs/shared-blob-store.test.ts',
  'server/src/database/concurrent-requests.test.ts',
  'server/src/database/concurrent-retries.test.ts',
  'server/src/database/detect-pooler.test.ts',
  'server/src/database/postgres.test.ts',
  'server/src/events/postgres-event-reader.test.ts',
  'server/src/quotas/uploads-to-nodes.test.ts',
  'server/src/startup/add-node.test.ts',
  'server/src/startup/join-nodes.test.ts',
  'server/src/startup/open-postgres-database.test.ts',
  'server/src/startup/update-postgres-database.test.ts',
];

/** Those of them that are not run through a connection pooler: why. */
export const DIRECT_ONLY_TEST_FILES: Readonly<Record<string, string>> = {
  'server/src/startup/open-postgres-database.test.ts':
    'tests the locks of a connection, which a service behind a pooler does not use; e2e/pgbouncer.test.ts starts such services',
  'server/src/startup/update-postgres-database.test.ts': 'starts the service without a pooler',
};

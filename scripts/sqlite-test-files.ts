/** Test files that use a database and that do not run with PostgreSQL: why. */
export const SQLITE_TEST_FILES: Readonly<Record<string, string>> = {
  'server/src/blobs/one-process-blob-store.test.ts':
    'the blobs of one process; late-removals.test.ts has those of several nodes',
  'server/src/database/migrations/0003-design-fields.test.ts':
    'no PostgreSQL database has a version this old',
  'server/src/database/migrations/0005-artifact-levels.test.ts':
    'no PostgreSQL database has a version this old',
  'server/src/database/sqlite.test.ts': 'the connection to SQLite, and its WAL',
  'server/src/docs/pages-browser.test.ts':
    'a browser shows the documentation, which is not in a database',
  'server/src/installation/move.test.ts': 'moves between SQLite and a PostgreSQL server of its own',
  'server/src/installation/tables.test.ts': 'compares a list with the schema of SQLite',
  'server/src/startup/open-database.test.ts': 'opens, updates and backs up the file of SQLite',
};

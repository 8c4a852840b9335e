import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../config.ts';
import { describeSettingChanges } from './describe-setting-changes.ts';
import { parseMoveTarget } from './move-target.ts';

test('the changed settings contain no secret', () => {
  const config = readConfig({
    CLOCHE_DATA: '/srv/cloche',
    CLOCHE_TO_DATABASE_PASSWORD: 's3cret',
    CLOCHE_TO_S3_KEY: 'key-s3cret',
    CLOCHE_TO_S3_SECRET: 's3cret',
  });
  const target = parseMoveTarget(
    {
      'to-database': 'postgres://cloche@db.example/cloche',
      'to-s3': 'https://s3.example.com/designs/cloche',
    },
    config,
  );
  assert.deepEqual(describeSettingChanges(config, target), [
    'Set CLOCHE_DATABASE_URL=postgres://cloche:PASSWORD@db.example/cloche',
    'Replace PASSWORD in this URL by the password.',
    'Set CLOCHE_GRANT_KEY_FILE=/srv/cloche/grant.key',
    'Remove CLOCHE_FILES, also with _FILE, if set.',
    'Set CLOCHE_S3_URL=https://s3.example.com/designs/cloche/',
    'Set CLOCHE_S3_REGION=us-east-1',
    'Set CLOCHE_S3_KEY and CLOCHE_S3_SECRET, or the same with _FILE, to the values of CLOCHE_TO_S3_KEY and CLOCHE_TO_S3_SECRET.',
  ]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseS3Url } from './s3-settings.ts';

const validCases: [url: string, endpoint: string, bucket: string, prefix: string][] = [
  ['https://s3.example.com/designs', 'https://s3.example.com', 'designs', ''],
  ['https://s3.example.com/designs/', 'https://s3.example.com', 'designs', ''],
  ['http://127.0.0.1:9000/my-bucket', 'http://127.0.0.1:9000', 'my-bucket', ''],
  ['https://s3.example.com/designs/cloche', 'https://s3.example.com', 'designs', 'cloche/'],
  ['https://s3.example.com/designs/a/b_c/', 'https://s3.example.com', 'designs', 'a/b_c/'],
];

for (const [url, endpoint, bucket, prefix] of validCases) {
  test(`parseS3Url accepts ${url}`, () => {
    assert.deepEqual(parseS3Url(url), { endpoint, bucket, prefix });
  });
}

const invalidUrls = [
  '',
  'designs',
  's3://designs',
  'https://s3.example.com',
  'https://s3.example.com/',
  'https://s3.example.com/A',
  'https://s3.example.com/UPPER',
  'https://s3.example.com/designs//a',
  'https://s3.example.com/designs/../other',
  'https://s3.example.com/designs/a b',
  'https://s3.example.com/designs?region=x',
  'https://s3.example.com/designs#x',
  'https://key:secret@s3.example.com/designs',
];

for (const url of invalidUrls) {
  test(`parseS3Url rejects "${url}"`, () => {
    assert.equal(parseS3Url(url), undefined);
  });
}

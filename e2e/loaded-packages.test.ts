import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { SERVICE_ARGUMENTS } from '../scripts/service-process.ts';
import { ServiceProcess } from './service-process.ts';

/** The npm packages that the service loads at its start, with SQLite and a folder. Each one takes time and memory of every installation. */
const PACKAGES = [
  '@fastify/ajv-compiler',
  '@fastify/busboy',
  '@fastify/deepmerge',
  '@fastify/error',
  '@fastify/fast-json-stringify-compiler',
  '@fastify/forwarded',
  '@fastify/merge-json-schemas',
  '@fastify/multipart',
  '@fastify/proxy-addr',
  '@fastify/swagger',
  '@pinojs/redact',
  '@tus/server',
  '@tus/utils',
  'ajv',
  'ajv-formats',
  'atomic-sleep',
  'avvio',
  'debug',
  'dequal',
  'entities',
  'fast-decode-uri-component',
  'fast-deep-equal',
  'fast-json-stringify',
  'fast-querystring',
  'fast-uri',
  'fastify',
  'fastify-plugin',
  'fastq',
  'find-my-way',
  'has-flag',
  'ipaddr.js',
  'json-schema-ref-resolver',
  'json-schema-resolver',
  'json-schema-traverse',
  'kysely',
  'lodash.throttle',
  'lru-cache',
  'marked',
  'ms',
  'negotiator',
  'on-exit-leak-free',
  'parse5',
  'pino',
  'pino-std-serializers',
  'process-warning',
  'quick-format-unescaped',
  'ret',
  'reusify',
  'rfdc',
  'safe-regex2',
  'safe-stable-stringify',
  'secure-json-parse',
  'semver',
  'sonic-boom',
  'srvx',
  'supports-color',
  'thread-stream',
  'tldts',
  'toad-cache',
  'typebox',
  'yaml',
];

test('with SQLite and a folder, the service loads these npm packages at its start, and no other', async (t) => {
  const file = join(await openTemporaryDirectory(t), 'packages');
  const recorder = join(import.meta.dirname, 'record-packages.ts');
  const service = await ServiceProcess.open(
    t,
    { RECORDED_PACKAGES: file },
    { nodeArguments: ['--import', recorder, ...SERVICE_ARGUMENTS] },
  );
  await service.stop('SIGTERM');
  const loaded = (await readFile(file, 'utf8')).trimEnd().split('\n');
  assert.deepEqual(loaded.sort(), PACKAGES);
});

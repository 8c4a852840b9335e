import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { type ProgramName, skipWithout } from '../scripts/optional-programs.ts';
import {
  EMBED_EXAMPLES,
  type EmbedExample,
  readEmbedExample,
} from '../server/src/docs/embed-examples.ts';
import { ApiClient } from './api-client.ts';
import { ServiceProcess } from './service-process.ts';

const SERVICE_URL = 'https://cloche.example.com';
const SITE = 'https://shop.example';
const TIMEOUT_MS = 180_000;
/** The programs that the examples need and npm does not install. */
const PROGRAMS: Record<string, ProgramName[]> = {
  curl: ['curl'],
  JavaScript: [],
  Python: ['python3'],
  PHP: ['php'],
  Go: ['go'],
};

for (const example of EMBED_EXAMPLES) {
  const skip = skipWithout(...(PROGRAMS[example.language] as ProgramName[]));
  test(`the example for ${example.language} does the four steps of embedding`, {
    skip,
  }, async (t) => {
    const service = await ServiceProcess.open(t);
    const html = runExample(t, example, service);

    const [, id = '', token = ''] =
      /<iframe src="[^"]+\/embed\/iframe\/v1\/([\w-]+)\?token=(cloche_pk_\w+)"/.exec(html) ?? [];
    const client = await ApiClient.create(service);
    const design = await client.waitUntilSettled(id);
    assert.deepEqual([design.name, design.status], ['Oak chair', 'ready']);
    const check = await client.request('/v1/tokens/check', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, design: id, ancestors: [SITE] }),
    });
    assert.equal(((await check.json()) as { allowed: boolean }).allowed, true);
  });
}

/** Runs a program of the documentation, with the address of a running service. Returns what it prints. */
function runExample(t: TestContext, example: EmbedExample, service: ServiceProcess): string {
  const { folder, origin } = service;
  const source = readEmbedExample(example);
  assert.ok(source.includes(SERVICE_URL) && source.includes(SITE), source);
  writeFileSync(join(folder, example.file), source.replaceAll(SERVICE_URL, origin));
  writeFileSync(join(folder, 'chair.glb'), makeBox());
  const [program, ...args] = example.command;
  const run = spawnSync(program, [...args, example.file], {
    cwd: folder,
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    env: {
      ...process.env,
      TOKEN: readFileSync(join(folder, 'bootstrap-token'), 'utf8').trim(),
      // Go keeps what it compiled, and fetches nothing: the program has no dependencies.
      GOCACHE: join(folder, 'go-cache'),
      GOFLAGS: '-mod=mod',
      GOPROXY: 'off',
    },
  });
  assert.equal(run.status, 0, run.error?.message ?? run.stderr);
  t.diagnostic(`${program}: ${run.stdout.length} characters of HTML`);
  return run.stdout;
}

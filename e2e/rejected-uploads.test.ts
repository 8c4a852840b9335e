import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { MalformedFile } from '@cloche/pipeline/testing/malformed/malformed-file';
import { generateMalformedGlbs } from '@cloche/pipeline/testing/malformed-glbs';
import { ProcessMemory } from './process-memory.ts';
import { REPORT_MEMORY_ARGUMENTS, readRetainedBytes } from './retained-memory.ts';
import { ServiceProcess } from './service-process.ts';

const MIB = 1024 ** 2;
const ROUND_COUNT = 3;
/** Of what garbage collection leaves, from the second to the last round. */
const MAX_GROWTH_BYTES = 30 * MIB;

describe('files that are rejected on upload', () => {
  it('422: malformed files are rejected with a reason, and no memory leaks', async (t) => {
    const nodeArguments = REPORT_MEMORY_ARGUMENTS;
    const service = await ServiceProcess.open(t, {}, { nodeArguments });
    const tokenString = await service.readBootstrapToken();
    // Files of other formats have other status codes.
    const files = [...generateMalformedGlbs()].filter(
      ({ name }) => !name.startsWith('another format'),
    );
    assert.ok(files.length >= 20);
    const rounds: { peak: number; retained: number }[] = [];
    for (let round = 0; round < ROUND_COUNT; round += 1) {
      const { peak, slowestMs } = await uploadAll(service, tokenString, files);
      rounds.push({ peak, retained: await readRetainedBytes(service) });
      t.diagnostic(
        `${files.length} files, the slowest ${Math.round(slowestMs)} ms, peak of ${toMiB(peak)} MiB, ${toMiB(rounds.at(-1)?.retained ?? 0)} MiB after garbage collection`,
      );
    }
    // The files declare many gigabytes, but have at most 40 MB.
    const peak = Math.max(...rounds.map((round) => round.peak));
    assert.ok(peak < 900 * MIB, `peak of ${toMiB(peak)} MiB`);
    // A cache can be filled in the first round; a leak grows every time.
    const growth = (rounds.at(-1)?.retained ?? 0) - (rounds[1]?.retained ?? 0);
    assert.ok(growth < MAX_GROWTH_BYTES, `${toMiB(growth)} MiB more after the last round`);
    assert.deepEqual(await listBlobFiles(service), []);
  });

  it('413: one byte more than the limit, with or without Content-Length, and nothing is left behind', async (t) => {
    const service = await ServiceProcess.open(t);
    const tokenString = await service.readBootstrapToken();
    const size = 256 * MIB + 1;
    for (const declaresLength of [true, false]) {
      const response = await streamZeros(service, tokenString, { size, declaresLength });
      assert.equal(response.status, 413);
      assert.equal(response.body.code, 'design.too-large');
    }
    const resident = await new ProcessMemory(service.pid).getResidentBytes();
    t.diagnostic(`${toMiB(resident)} MiB in use`);
    assert.ok(resident < 400 * MIB, `${toMiB(resident)} MiB in use`);
    assert.deepEqual(await listBlobFiles(service), []);
    const designs = await fetch(`${service.origin}/v1/designs`, {
      headers: { authorization: `Bearer ${tokenString}` },
    });
    assert.deepEqual(((await designs.json()) as { items: unknown[] }).items, []);
  });
});

/** Uploads all files; asserts that each is rejected with its code and a detail. */
async function uploadAll(
  service: ServiceProcess,
  tokenString: string,
  files: readonly MalformedFile[],
) {
  const memory = new ProcessMemory(service.pid);
  let peak = 0;
  let slowestMs = 0;
  for (const { name, bytes, code } of files) {
    const start = performance.now();
    const response = await upload(service, tokenString, bytes);
    slowestMs = Math.max(slowestMs, performance.now() - start);
    assert.equal(response.body.code, code, `${name}: ${JSON.stringify(response.body)}`);
    assert.equal(response.status, 422, name);
    assert.ok(response.body.detail.length > 10, `${name} has no detail`);
    peak = Math.max(peak, await memory.getResidentBytes());
  }
  return { peak, slowestMs };
}

const toMiB = (bytes: number) => Math.round(bytes / MIB);

type ProblemResponse = { status: number; body: { code: string; detail: string } };

async function upload(
  service: ServiceProcess,
  tokenString: string,
  bytes: Buffer,
): Promise<ProblemResponse> {
  const response = await fetch(`${service.origin}/v1/designs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokenString}`, 'content-type': 'application/octet-stream' },
    body: new Uint8Array(bytes),
  });
  return { status: response.status, body: (await response.json()) as ProblemResponse['body'] };
}

/** Sends zeros, as fast as the service reads them, until it responds. */
async function streamZeros(
  service: ServiceProcess,
  tokenString: string,
  { size, declaresLength }: { size: number; declaresLength: boolean },
): Promise<ProblemResponse> {
  const outgoing = request(`${service.origin}/v1/designs`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tokenString}`,
      'content-type': 'application/octet-stream',
      ...(declaresLength && { 'content-length': size }),
    },
  });
  const responded = Promise.withResolvers<ProblemResponse>();
  outgoing.on('error', responded.reject);
  outgoing.once('response', async (response) => {
    // The service may close the connection while the rest is being sent.
    outgoing.off('error', responded.reject).on('error', () => {});
    response.on('error', responded.reject);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    responded.resolve({ status: response.statusCode ?? 0, body });
  });
  const zeros = Buffer.alloc(MIB);
  let sent = 0;
  const push = () => {
    while (sent < size) {
      const chunk = zeros.subarray(0, Math.min(MIB, size - sent));
      sent += chunk.length;
      if (!outgoing.write(chunk)) return void outgoing.once('drain', push);
    }
    outgoing.end();
  };
  push();
  try {
    return await responded.promise;
  } finally {
    outgoing.destroy();
  }
}

/** Lists the files in the folder of the blobs. */
async function listBlobFiles({ folder }: ServiceProcess): Promise<string[]> {
  const entries = await readdir(join(folder, 'data/blobs'), {
    recursive: true,
    withFileTypes: true,
  });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { MalformedFile } from '@cloche/pipeline/testing/malformed/malformed-file';
import { generateMalformedGlbs } from '@cloche/pipeline/testing/malformed-glbs';
import { ServiceProcess } from './service-process.ts';

const MIB = 1024 ** 2;

describe('files that nobody wants', () => {
  it('malformed ones are refused with a reason, and cost no memory', async (t) => {
    const service = await ServiceProcess.open(t);
    const secret = await service.readBootstrapToken();
    // What has another format is judged by that.
    const files = [...generateMalformedGlbs()].filter(
      ({ name }) => !name.startsWith('another format'),
    );
    assert.ok(files.length >= 20);
    let first = await uploadAll(service, secret, files);
    let second = await uploadAll(service, secret, files);
    const tell = () =>
      t.diagnostic(
        `${files.length} files, the slowest ${Math.round(second.slowestMs)} ms, at most ${toMiB(first.peak)} MiB, then ${toMiB(second.peak)} MiB`,
      );
    tell();
    // A heap may come to its size late, once. What leaks grows every time.
    if (second.peak - first.peak >= 100 * MIB) {
      [first, second] = [second, await uploadAll(service, secret, files)];
      tell();
    }
    // They claim to hold many gigabytes, and bring 40 MB at most.
    const peak = Math.max(first.peak, second.peak);
    assert.ok(peak < 900 * MIB, `took ${toMiB(peak)} MiB`);
    assert.ok(second.peak - first.peak < 100 * MIB, `grew to ${toMiB(second.peak)} MiB`);
    assert.deepEqual(await listBlobFiles(service), []);
  });

  it('one byte more than the limit is 413, announced or not, and leaves nothing behind', async (t) => {
    const service = await ServiceProcess.open(t);
    const secret = await service.readBootstrapToken();
    const size = 256 * MIB + 1;
    for (const announced of [true, false]) {
      const answer = await streamZeros(service, secret, { size, announced });
      assert.equal(answer.status, 413);
      assert.equal(answer.body.code, 'design.too-large');
    }
    const resident = await service.getResidentBytes();
    t.diagnostic(`${toMiB(resident)} MiB in use`);
    assert.ok(resident < 400 * MIB, `${toMiB(resident)} MiB in use`);
    assert.deepEqual(await listBlobFiles(service), []);
    const designs = await fetch(`${service.origin}/v1/designs`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    assert.deepEqual(((await designs.json()) as { items: unknown[] }).items, []);
  });
});

/** Uploads every file; each must be refused with its own code and in words. */
async function uploadAll(service: ServiceProcess, secret: string, files: readonly MalformedFile[]) {
  let peak = 0;
  let slowestMs = 0;
  for (const { name, bytes, code } of files) {
    const start = performance.now();
    const answer = await upload(service, secret, bytes);
    slowestMs = Math.max(slowestMs, performance.now() - start);
    assert.equal(answer.body.code, code, `${name}: ${JSON.stringify(answer.body)}`);
    assert.equal(answer.status, 422, name);
    assert.ok(answer.body.detail.length > 10, `${name} has no reason`);
    peak = Math.max(peak, await service.getResidentBytes());
  }
  return { peak, slowestMs };
}

const toMiB = (bytes: number) => Math.round(bytes / MIB);

type ProblemResponse = { status: number; body: { code: string; detail: string } };

async function upload(
  service: ServiceProcess,
  secret: string,
  bytes: Buffer,
): Promise<ProblemResponse> {
  const response = await fetch(`${service.origin}/v1/designs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/octet-stream' },
    body: new Uint8Array(bytes),
  });
  return { status: response.status, body: (await response.json()) as ProblemResponse['body'] };
}

/** Sends zeros, as fast as they are taken, until the service answers. */
async function streamZeros(
  service: ServiceProcess,
  secret: string,
  { size, announced }: { size: number; announced: boolean },
): Promise<ProblemResponse> {
  const outgoing = request(`${service.origin}/v1/designs`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/octet-stream',
      ...(announced && { 'content-length': size }),
    },
  });
  const answered = Promise.withResolvers<ProblemResponse>();
  outgoing.once('error', answered.reject);
  outgoing.once('response', async (response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    answered.resolve({ status: response.statusCode ?? 0, body });
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
    return await answered.promise;
  } finally {
    outgoing.destroy();
  }
}

/** Files that lie where uploads are kept. */
async function listBlobFiles({ folder }: ServiceProcess): Promise<string[]> {
  const entries = await readdir(join(folder, 'data/blobs'), {
    recursive: true,
    withFileTypes: true,
  });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

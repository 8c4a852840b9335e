import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { openTestDatabase } from '../../testing/test-database.ts';
import { openLeases } from '../../testing/test-leases.ts';
import { receiveBytes } from './receive-bytes.ts';
import { MissingSegmentError, type Segment, type UploadSegments } from './upload-segments.ts';

const ID = 'a'.repeat(32);
const OTHER_ID = 'b'.repeat(32);

/** The tests that every `UploadSegments` runs. `openEmpty` closes it with the test. */
export function uploadSegmentsContract(
  name: string,
  openEmpty: (t: TestContext) => Promise<UploadSegments>,
): void {
  test(`${name} returns the bytes of several writers in their order`, async (t) => {
    const segments = await openEmpty(t);
    const bytes = randomBytes(300_000);
    const first = await write(
      segments,
      0,
      bytes.subarray(0, 100_000),
      bytes.subarray(100_000, 100_001),
    );
    const second = await write(segments, 100_001, bytes.subarray(100_001));
    assert.ok((await read(segments, [...first, ...second])).equals(bytes));
    assert.deepEqual(await Array.fromAsync(segments.listUploadIds()), [ID]);
  });

  test(`${name} returns one segment or several for a writer that stores in steps`, async (t) => {
    const segments = await openEmpty(t);
    await using writer = segments.createWriter(ID, 10);
    assert.equal(await writer.flush(), undefined);
    const stored = new Map<number, Segment>();
    for (const text of ['abc', 'def']) {
      await writer.append(Buffer.from(text));
      const segment = (await writer.flush()) ?? assert.fail();
      stored.set(segment.start, segment);
      assert.equal(await writer.flush(), undefined);
    }
    assert.equal(String(await read(segments, [...stored.values()])), 'abcdef');
  });

  test(`${name} returns no bytes after those of a segment`, async (t) => {
    const segments = await openEmpty(t);
    await using writer = segments.createWriter(ID, 0);
    await writer.append(Buffer.from('acknowledged'));
    const segment = (await writer.flush()) ?? assert.fail();
    await writer.append(Buffer.from(' and more'));
    await writer.flush();
    assert.equal(String(await read(segments, [segment])), 'acknowledged');
  });

  test(`${name} deletes the segments of one upload`, async (t) => {
    const segments = await openEmpty(t);
    const stored = await write(segments, 0, Buffer.from('a'));
    await using other = segments.createWriter(OTHER_ID, 0);
    await other.append(Buffer.from('b'));
    await other.flush();
    await segments.removeAll(ID);
    await segments.removeAll(ID);
    assert.deepEqual(await Array.fromAsync(segments.listUploadIds()), [OTHER_ID]);
    await assert.rejects(read(segments, stored), MissingSegmentError);
  });

  test(`${name}: a holder that was paused changes no acknowledged byte, and not the offset`, async (t) => {
    const segments = await openEmpty(t);
    const { leases, id, readUpload, advanceTime } = await openLeases(await openTestDatabase(t));
    const paused = (await leases.acquire(id)) ?? assert.fail();
    await using pausedWriter = segments.createWriter(id, 0);
    await pausedWriter.append(Buffer.from('first '));
    const acknowledged = (await pausedWriter.flush()) ?? assert.fail();
    await leases.acknowledge(paused, 0, acknowledged);
    await pausedWriter.append(Buffer.from('PAUSED'));
    advanceTime();

    const next = (await leases.acquire(id)) ?? assert.fail();
    // The paused process continues before and after the next one has stored bytes.
    const late = (await pausedWriter.flush()) ?? assert.fail();
    await assert.rejects(leases.acknowledge(paused, 6, late), { code: 'upload.locked' });
    await using writer = segments.createWriter(id, 6);
    await writer.append(Buffer.from('second'));
    await leases.acknowledge(next, 6, (await writer.flush()) ?? assert.fail());
    await pausedWriter.append(Buffer.from('PAUSED AGAIN'));
    const later = (await pausedWriter.flush()) ?? assert.fail();
    await assert.rejects(leases.acknowledge(paused, 12, later), { code: 'upload.locked' });

    const { offset, segments: stored } = await readUpload();
    assert.equal(offset, 12);
    assert.equal(String(await buffer(segments.read(id, stored))), 'first second');
  });

  test(`${name}: bytes that are received before an error are stored`, async (t) => {
    const segments = await openEmpty(t);
    const stored: Segment[] = [];
    await using writer = segments.createWriter(ID, 0);
    const interrupted = (async function* () {
      yield Buffer.from('received ');
      yield Buffer.from('bytes');
      throw new Error('The connection was lost.');
    })();
    const acknowledge = async (segment: Segment) => void stored.push(segment);
    const options = { flushAfter: segments.flushAfter, acknowledge };
    await assert.rejects(receiveBytes(interrupted, writer, options), /connection was lost/);
    assert.equal(String(await read(segments, stored)), 'received bytes');
  });
}

async function write(
  segments: UploadSegments,
  offset: number,
  ...chunks: Uint8Array[]
): Promise<Segment[]> {
  await using writer = segments.createWriter(ID, offset);
  for (const chunk of chunks) await writer.append(chunk);
  return [(await writer.flush()) ?? assert.fail()];
}

function read(segments: UploadSegments, stored: readonly Segment[]): Promise<Buffer> {
  return buffer(segments.read(ID, stored));
}

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { storeBlob } from './blob-store.contract.ts';
import { DiskBlobStore } from './disk-blob-store.ts';

const HOUR_MS = 60 * 60 * 1000;

test('files that lost nodes and killed commands have left are deleted after a day, and no others', async (t) => {
  const directory = await openTemporaryDirectory(t);
  const lost = join('drafts', randomUUID());
  const running = join('drafts', randomUUID());
  for (const folder of ['drafts', lost, running]) await mkdir(join(directory, folder));
  const addFile = async (folder: string, hours: number, name: string = randomUUID()) => {
    const time = new Date(Date.now() - hours * HOUR_MS);
    await writeFile(join(directory, folder, name), 'bytes');
    await utimes(join(directory, folder, name), time, time);
    return join(folder, name);
  };
  const deleted = [
    await addFile(lost, 25),
    await addFile('drafts', 25),
    // A command was removing a blob when it was killed.
    await addFile('', 25),
  ];
  const kept = [
    await addFile(running, 23),
    await addFile('', 23),
    await addFile('', 25, 'folder-id'),
  ];
  const blob = await storeBlob(await DiskBlobStore.open(directory, join('drafts', 'own')), 'hello');
  const path = join('sha256', blob.slice(0, 2), blob);
  await utimes(join(directory, path), 0, 0);
  await DiskBlobStore.open(directory, join('drafts', 'own'));
  const files = await readdir(directory, { recursive: true });
  for (const file of deleted) assert.ok(!files.includes(file), file);
  for (const file of [...kept, path, lost]) assert.ok(files.includes(file), file);
});

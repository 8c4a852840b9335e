import { join } from 'node:path';
import sharp from 'sharp';
import { type DemoService, startDemoService } from '../../demo/demo-service.ts';
import { DiskBlobStore } from '../../server/src/blobs/disk-blob-store.ts';
import { openSqlite } from '../../server/src/database/sqlite.ts';
import { addManyDesigns } from '../../server/testing/many-designs.ts';
import { sendRequest } from '../embed-requests.ts';

const POSTER_COUNT = 50;
const POSTER_SIZE = { width: 320, height: 240 };

/** Starts the service, with a user who has many designs with posters. `token` is one of that user. */
export async function openServiceWithDesigns(
  port: number,
  designCount: number,
): Promise<DemoService> {
  const service = await startDemoService(port, {
    CLOCHE_MAX_REQUESTS_PER_MINUTE: '999999999',
    CLOCHE_CHROMIUM: 'none',
  });
  const data = join(service.folder, 'data');
  {
    await using database = openSqlite(join(data, 'cloche.sqlite'));
    const blobs = await DiskBlobStore.open(join(data, 'blobs'));
    const posters = await createPosters();
    await addManyDesigns({ database, blobs, designCount, blobCount: 50, posters });
  }
  return { ...service, token: await createUserToken(service) };
}

async function createUserToken({ origin, token }: DemoService): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const target = { path: '/v1/tokens', method: 'POST', headers };
  const capabilities = ['read', 'write', 'embed'];
  const body = JSON.stringify({ capabilities, origins: [], type: 'api', user: 'many' });
  return JSON.parse((await sendRequest(origin, target, body)).body.toString()).token;
}

/** Images that are different, and no single color. */
function createPosters() {
  return Promise.all(
    Array.from({ length: POSTER_COUNT }, async (_, index) => {
      const noise = { type: 'gaussian' as const, mean: 60 + index * 3, sigma: 20 };
      const create = { ...POSTER_SIZE, channels: 3 as const, background: '#888888', noise };
      return { bytes: await sharp({ create }).webp().toBuffer(), ...POSTER_SIZE };
    }),
  );
}

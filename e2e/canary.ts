import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

const CANARY_CONTENT = 'the-canary-sings-9f2c41d7';

/** A file that nobody may read and an address that nobody may call, for files to point at. */
export type Canary = {
  file: string;
  url: string;
  /** What has become of them; nothing, if all is well. */
  findAccesses(): Promise<string[]>;
  /** Whether a text or a file has what the canary's file says. */
  isLeakedIn(bytes: string | Uint8Array): boolean;
};

export async function openCanary(t: TestContext): Promise<Canary> {
  const folder = await mkdtemp(join(tmpdir(), 'cloche-canary-'));
  t.after(() => rm(folder, { recursive: true }));
  const callers: string[] = [];
  const server = createServer((request, response) => {
    callers.push(`${request.method} ${request.url}`);
    response.end(CANARY_CONTENT);
  }).listen(0, '127.0.0.1');
  server.on('connection', () => callers.push('a connection'));
  t.after(() => server.close());
  await once(server, 'listening');
  const file = join(folder, 'canary.png');
  const isSeen = await watchReads(file);
  return {
    file,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    findAccesses: async () => [...callers, ...((await isSeen()) ? [`${file} was read`] : [])],
    isLeakedIn: (bytes) => Buffer.from(bytes as string).includes(CANARY_CONTENT),
  };
}

/** Linux notes when a file is read, unless that was noted since it was written and within a day. */
async function watchReads(file: string): Promise<() => Promise<boolean>> {
  const long = new Date(Date.now() - 100 * 3_600_000);
  const hide = () => utimes(file, long, new Date());
  const isSeen = async () => (await stat(file)).atime.getTime() !== long.getTime();
  await writeFile(file, CANARY_CONTENT);
  await hide();
  await readFile(file);
  const isNoted = await isSeen();
  await hide();
  // Where nothing is noted, what it says may still be heard.
  return isNoted ? isSeen : async () => false;
}

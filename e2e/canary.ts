import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

const CANARY_CONTENT = 'canary-content-9f2c41d7';

/** A file and an address for hostile files to refer to; neither may ever be accessed. */
export type Canary = {
  file: string;
  url: string;
  /** One line for each access to the file or the address. */
  findAccesses(): Promise<string[]>;
  /** Whether the content of the canary file is in a text or a file. */
  isLeakedIn(bytes: string | Uint8Array): boolean;
};

/** Creates the file and starts the server; both are removed after the test. */
export async function openCanary(t: TestContext): Promise<Canary> {
  const folder = await mkdtemp(join(tmpdir(), 'cloche-canary-'));
  t.after(() => rm(folder, { recursive: true }));
  const accesses: string[] = [];
  const server = createServer((request, response) => {
    accesses.push(`${request.method} ${request.url}`);
    response.end(CANARY_CONTENT);
  }).listen(0, '127.0.0.1');
  server.on('connection', () => accesses.push('a connection'));
  t.after(() => server.close());
  await once(server, 'listening');
  const file = join(folder, 'canary.png');
  const isRead = await watchReads(file);
  return {
    file,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    findAccesses: async () => [...accesses, ...((await isRead()) ? [`${file} was read`] : [])],
    isLeakedIn: (bytes) => Buffer.from(bytes as string).includes(CANARY_CONTENT),
  };
}

/** Returns a function that checks whether the file was read, by its access time. */
async function watchReads(file: string): Promise<() => Promise<boolean>> {
  // With `relatime`, Linux updates an access time only if it is older than a day.
  const oldTime = new Date(Date.now() - 100 * 3_600_000);
  const resetAccessTime = () => utimes(file, oldTime, new Date());
  const isRead = async () => (await stat(file)).atime.getTime() !== oldTime.getTime();
  await writeFile(file, CANARY_CONTENT);
  await resetAccessTime();
  await readFile(file);
  const isSupported = await isRead();
  await resetAccessTime();
  // Without access times (`noatime`), only a leak of the content can be detected.
  return isSupported ? isRead : async () => false;
}

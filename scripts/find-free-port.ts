import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The ports to choose from. They are below those that systems give to connections, and to servers that name none: a connection that
 * is opened before the caller listens cannot take the port.
 */
const [FIRST_PORT, LAST_PORT] = [20_000, 32_767];

/** One file for each port that a process may be about to listen on. */
const RESERVATIONS = join(tmpdir(), `cloche-ports-${process.getuid?.() ?? ''}`);
/** A process that was killed leaves its files behind. */
const MAX_RESERVATION_AGE_MS = 60 * 60 * 1000;

const reserved: string[] = [];
process.once('exit', () => {
  for (const file of reserved) rmSync(file, { force: true });
});

/** Finds a port of the loopback address that no process listens on. No other call returns it for an hour, or until this process ends. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1);
    if (reserve(port) && (await canListen(port))) return port;
  }
}

/** Returns whether no other call has reserved the port. */
function reserve(port: number): boolean {
  mkdirSync(RESERVATIONS, { recursive: true });
  const file = join(RESERVATIONS, String(port));
  const { mtimeMs = Infinity } = statSync(file, { throwIfNoEntry: false }) ?? {};
  if (Date.now() - mtimeMs > MAX_RESERVATION_AGE_MS) rmSync(file, { force: true });
  try {
    writeFileSync(file, '', { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  reserved.push(file);
  return true;
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}

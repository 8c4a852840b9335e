import { once } from 'node:events';
import { createServer } from 'node:net';
import { printNote } from './terminal.ts';

/** Found before, and perhaps not yet in use. */
const assignedPorts = new Set<number>();

/** Finds a free port of this machine: the wished one, or the next above it that is. */
export async function findPort(wish: number, what: string): Promise<number> {
  for (let port = wish; port < wish + 200; port += 1) {
    if (assignedPorts.has(port) || !(await isFree(port))) continue;
    assignedPorts.add(port);
    if (port !== wish) printNote(`Port ${wish} is taken, so ${what} uses ${port}.`);
    return port;
  }
  throw new Error(`No free port from ${wish} to ${wish + 199} for ${what}.`);
}

/** Free on both loopback addresses: a browser may take either for "localhost". */
async function isFree(port: number): Promise<boolean> {
  return (await canListen(port, '127.0.0.1')) && (await canListen(port, '::1'));
}

async function canListen(port: number, host: string): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ port, host, exclusive: true });
    await once(server, 'listening');
    return true;
  } catch (error) {
    // A machine without IPv6 has nobody listening there.
    return ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes((error as NodeJS.ErrnoException).code ?? '');
  } finally {
    server.close();
  }
}

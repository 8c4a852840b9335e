import { once } from 'node:events';
import { createServer } from 'node:net';
import { printNote } from './terminal.ts';

/** How many ports are tried. */
const PORT_COUNT = 200;
/** Ports that were returned before; their servers may not listen yet. */
const assignedPorts = new Set<number>();

/** Finds a free port: the preferred one or the next free one above it. `purpose` is for messages. */
export async function findPort(preferredPort: number, purpose: string): Promise<number> {
  for (let port = preferredPort; port < preferredPort + PORT_COUNT; port += 1) {
    if (assignedPorts.has(port) || !(await isFree(port))) continue;
    assignedPorts.add(port);
    if (port !== preferredPort)
      printNote(`Port ${preferredPort} is in use, so ${purpose} uses port ${port}.`);
    return port;
  }
  const lastPort = preferredPort + PORT_COUNT - 1;
  throw new Error(`No port from ${preferredPort} to ${lastPort} is free for ${purpose}.`);
}

/** Checks both loopback addresses, because a browser may use either for "localhost". */
export async function isFree(port: number): Promise<boolean> {
  return (await canListen(port, '127.0.0.1')) && (await canListen(port, '::1'));
}

async function canListen(port: number, host: string): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ port, host, exclusive: true });
    await once(server, 'listening');
    return true;
  } catch (error) {
    // Without IPv6, nothing can listen on ::1.
    return ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes((error as NodeJS.ErrnoException).code ?? '');
  } finally {
    server.close();
  }
}

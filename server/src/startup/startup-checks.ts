import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../config.ts';
import { ConfigError } from '../environment.ts';

/**
 * Asserts that the service can listen on the port.
 *
 * @throws {ConfigError} the port is in use or not permitted, or this machine has no such address
 */
export async function assertPortAvailable({
  host,
  port,
}: Pick<Config, 'host' | 'port'>): Promise<void> {
  const server = createServer();
  try {
    server.listen({ host, port });
    await once(server, 'listening');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      LISTEN_ERROR_MESSAGES[code]?.(host, port) ??
        `CLOCHE_PORT is ${port} and CLOCHE_HOST is "${host}", where the service cannot listen (${code}). Correct one of them.`,
    );
  } finally {
    server.close();
  }
}

const toUnknownName = (host: string) =>
  `CLOCHE_HOST is "${host}", a name that cannot be resolved. Use an address of this machine.`;

const LISTEN_ERROR_MESSAGES: Record<string, (host: string, port: number) => string> = {
  EADDRINUSE: (host, port) =>
    `CLOCHE_PORT is ${port}, and another program listens on it (on ${host}). Stop that program, or set another port.`,
  EACCES: (_host, port) =>
    `CLOCHE_PORT is ${port}, which this user may not listen on. Use a port from 1024, with a proxy in front if needed.`,
  EADDRNOTAVAIL: (host) =>
    `CLOCHE_HOST is "${host}", which is not an address of this machine. Use 127.0.0.1 for this machine only, or 0.0.0.0 for all its networks.`,
  ENOTFOUND: toUnknownName,
  EAI_AGAIN: toUnknownName,
};

/** Prints the address of the service. */
export function printStartupMessage({ publicUrl, host, port, role }: Config): void {
  const purpose =
    role === 'worker'
      ? 'This node processes files, and serves only /livez and /readyz.'
      : `To upload a file and embed it, open ${publicUrl}/ and sign in.`;
  process.stdout.write(`Cloche is available (listening on ${host}:${port}). ${purpose}\n`);
}

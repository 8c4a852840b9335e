import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { ClientAddresses } from './client-address.ts';
import type { ConnectionResponses } from './connection-responses.ts';
import type { ClientLimits } from './limits.ts';
import type { Logger } from './logger.ts';

type ConnectionLimitDependencies = {
  responses: ConnectionResponses;
  addresses: ClientAddresses;
  limits: Pick<ClientLimits, 'connections' | 'connectionsPerAddress'>;
  log: Pick<Logger, 'warn'>;
};

/** A warning about refused connections is logged once in this time. */
const WARNING_INTERVAL_MS = 60_000;

/**
 * Limits the connections: in total, and of each client address; the connections of trusted proxies count only in
 * total. Closes connections whose client has not read anything of the response for the timeout of the server.
 */
export function registerConnectionLimits(
  app: FastifyInstance,
  { responses, addresses, limits, log }: ConnectionLimitDependencies,
): void {
  const { server } = app;
  if (limits.connections > 0) server.maxConnections = limits.connections;
  const warn = createRateLimitedWarning(log);
  server.on('drop', () => warn('CLOCHE_MAX_CONNECTIONS'));
  // Without a listener, a connection that cannot be accepted because too many files are open ends the process.
  server.on('error', () => warn('ulimit -n'));
  const counts = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    if (limits.connectionsPerAddress === 0 || addresses.isTrustedProxy(socket)) return;
    const address = addresses.find({ socket, headers: {} });
    const count = (counts.get(address) ?? 0) + 1;
    counts.set(address, count);
    socket.once('close', () => decrement(counts, address));
    if (count <= limits.connectionsPerAddress) return;
    socket.destroy();
    warn('CLOCHE_MAX_CONNECTIONS_PER_ADDRESS');
  });
  registerIdleTimeout(app, responses);
}

function decrement(counts: Map<string, number>, key: string): void {
  const count = (counts.get(key) ?? 0) - 1;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

/** Node calls the listener after the time without any byte in either direction. */
function registerIdleTimeout({ server }: FastifyInstance, responses: ConnectionResponses): void {
  server.on('timeout', (socket: Socket) => {
    const response = responses.find(socket);
    const isPreparing = response !== undefined && !response.writableEnded;
    // The client has read all that there is so far.
    if (isPreparing && socket.writableLength === 0) return;
    socket.destroy();
  });
}

function createRateLimitedWarning(log: Pick<Logger, 'warn'>): (setting: string) => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  return (setting) => {
    const now = performance.now();
    if (now - lastMs < WARNING_INTERVAL_MS) return;
    lastMs = now;
    log.warn({ setting }, 'connections are refused: the limit is reached');
  };
}

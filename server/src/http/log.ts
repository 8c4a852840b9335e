import { writeSync } from 'node:fs';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Where log lines go. */
export type LogSink = { write(line: string): void };

// A token, or any run of characters long enough to hold what is random in one. The address of a
// blob (64 hexadecimal digits) is no secret.
const SECRETS =
  /cloche(?:_|%5f)[ps]k(?:_|%5f)[0-9a-z]*|(?<![0-9a-z])(?![0-9a-f]{64}(?![0-9a-z]))[0-9a-z]{30,}/gi;

/** Takes everything that looks like a token out of a text. */
export function withoutTokens(text: string): string {
  return text.replace(SECRETS, '[token]');
}

/** A sink that writes to standard output, line by line, and never a token. */
export const standardOutput: LogSink = {
  write: (line) => {
    writeSync(1, withoutTokens(line));
  },
};

/** What Fastify needs to know to log our way. */
export function loggerOptions(sink: LogSink, level = 'info') {
  return {
    level,
    stream: { write: (line: string) => sink.write(withoutTokens(line)) },
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
}

/** Writes one line for each request when it is answered: no query, no headers, no body. */
export function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        path: pathOf(request),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    );
  });
}

function pathOf({ url }: FastifyRequest): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  const plain = decoded(path);
  // Percent signs could hide a token from the search.
  const holdsToken = withoutTokens(plain) !== plain;
  return withoutTokens(holdsToken ? plain : path).slice(0, 200);
}

/** Undoes percent-encoding as often as it was done. */
function decoded(text: string): string {
  const once = text.replace(/%([2-7][0-9a-f])/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return once === text ? text : decoded(once);
}

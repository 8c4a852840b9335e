import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Problem } from '@cloche/contract/problem';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const MAX_BYTES = 1024 * 1024;
const MAX_DEPTH = 32;
const DEFAULT_TIMEOUT_MS = 30_000;

/** Registers the JSON body parser. Size, depth and time are limited before anything is parsed. */
export function registerJsonParser(app: FastifyInstance, timeoutMs = DEFAULT_TIMEOUT_MS): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    async ({ method }: FastifyRequest, body: IncomingMessage) => {
      const bytes = await readBody(body, timeoutMs);
      // Some clients send a content type with every request; a DELETE needs no body.
      return method === 'DELETE' && bytes.length === 0 ? undefined : parseJsonBody(bytes);
    },
  );
}

/**
 * Parses JSON of a stranger.
 * @throws {Problem} request.broken-json, request.too-deep
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (!isUtf8(bytes))
    throw new Problem('request.broken-json', { detail: 'The body is not UTF-8.' });
  assertDepth(bytes);
  try {
    return JSON.parse(bytes.toString());
  } catch (error) {
    const detail =
      bytes.length === 0
        ? 'The body is empty. Send a JSON object, such as {}.'
        : `The body is not JSON: ${(error as Error).message.replace(/[^\x20-\x7e]/g, '?').slice(0, 120)}.`;
    throw new Problem('request.broken-json', { detail });
  }
}

/** Counts open brackets outside strings. In UTF-8 these bytes mean nothing else. */
function assertDepth(bytes: Buffer): void {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i];
    if (inString) {
      if (byte === BACKSLASH) i += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1;
      if (depth > MAX_DEPTH) {
        throw new Problem('request.too-deep', {
          detail: `The JSON is nested more than ${MAX_DEPTH} levels deep; no request of this API needs more than 3.`,
        });
      }
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

function readBody(body: IncomingMessage, timeoutMs: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let size = 0;
  body.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_BYTES) chunks.push(chunk);
    else reject(tooLargeError());
  });
  body.once('end', () => resolve(Buffer.concat(chunks)));
  body.once('error', (cause) => reject(new Problem('request.malformed', { cause })));
  const timer = setTimeout(() => reject(timeoutError(timeoutMs)), timeoutMs);
  return promise.finally(() => clearTimeout(timer));
}

function timeoutError(deadlineMs: number): Problem {
  return new Problem('request.timeout', {
    detail: `The body did not arrive within ${deadlineMs / 1000} s.`,
  });
}

function tooLargeError(): Problem {
  return new Problem('request.too-large', {
    detail: `JSON bodies may have ${MAX_BYTES} bytes at most.`,
  });
}

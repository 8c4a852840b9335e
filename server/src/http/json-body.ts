import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Problem } from '@cloche/contract/problem';
import { toSingleLine } from '@cloche/contract/untrusted-text';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { findDuplicateKey, findStringEnd } from './duplicate-keys.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_DEPTH = 32;

/** Registers the JSON body parser. Size, depth and time are limited before the JSON is parsed. */
export function registerJsonParser(app: FastifyInstance, timeoutMs: number): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    async ({ method }: FastifyRequest, body: IncomingMessage) => {
      const bytes = await readBody(body, timeoutMs);
      // Some clients send a content type with every request; a DELETE has no body.
      return method === 'DELETE' && bytes.length === 0 ? undefined : parseJsonBody(bytes);
    },
  );
}

/**
 * Parses untrusted JSON.
 *
 * @throws {Problem} request.broken-json, request.too-deep, request.duplicate-key
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (!isUtf8(bytes))
    throw new Problem('request.broken-json', { detail: 'The body is not UTF-8.' });
  const text = bytes.toString();
  assertDepth(text);
  const value = parseJson(text);
  const field = findDuplicateKey(text);
  if (field === undefined) return value;
  throw new Problem('request.duplicate-key', {
    field,
    detail: `${field}: the key occurs twice in the same object. Send each key once.`,
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const detail =
      text === ''
        ? 'The body is empty. Send a JSON object, such as {}.'
        : `The body is not JSON: ${toSingleLine((error as Error).message, 120)}.`;
    throw new Problem('request.broken-json', { detail });
  }
}

/** Asserts the maximum depth, by counting the open brackets outside strings. */
function assertDepth(text: string): void {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') index = findStringEnd(text, index);
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > MAX_DEPTH) throw createTooDeepError();
  }
}

function readBody(body: IncomingMessage, timeoutMs: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => reject(createTimeoutError(timeoutMs)), timeoutMs);
  body.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_BYTES) chunks.push(chunk);
    else reject(createTooLargeError());
  });
  body.once('end', () => {
    clearTimeout(timer);
    resolve(Buffer.concat(chunks));
  });
  body.once('error', (cause) => {
    clearTimeout(timer);
    reject(new Problem('request.malformed', { cause }));
  });
  return promise;
}

function createTimeoutError(timeoutMs: number): Problem {
  return new Problem('request.timeout', {
    detail: `The body did not arrive within ${timeoutMs / 1000} s.`,
  });
}

function createTooDeepError(): Problem {
  return new Problem('request.too-deep', {
    detail: `The JSON is nested more than ${MAX_DEPTH} levels deep; no request of this API needs more than 3.`,
  });
}

function createTooLargeError(): Problem {
  return new Problem('request.too-large', {
    detail: `A JSON body must not have more than ${MAX_BYTES} bytes.`,
  });
}

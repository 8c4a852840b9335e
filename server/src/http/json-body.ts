import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Problem } from '@cloche/contract/problem';
import { toSingleLine } from '@cloche/contract/untrusted-text';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { BodyMonitor } from './body-monitor.ts';
import { findDuplicateKey, findStringEnd } from './duplicate-keys.ts';

/** Maximum size of a JSON body. */
export const MAX_JSON_BYTES = 1024 * 1024;
const MAX_DEPTH = 32;

/** Registers the JSON body parser. Size, depth and time are limited before the JSON is parsed. */
export function registerJsonParser(
  app: FastifyInstance,
  { bodyMonitor, timeoutMs }: { bodyMonitor: BodyMonitor; timeoutMs: number },
): void {
  const limits = { stallMs: timeoutMs, totalMs: timeoutMs };
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { raw } = request;
    if (!hasArrived(raw) && isJson(request)) {
      raw.on('error', ignoreError);
      bodyMonitor.watch(raw, limits, {
        advice: 'Send it again.',
        // Fastify waits for the end or an error of the body.
        onTimeout: (problem) => reply.sent || raw.emit('error', problem),
      });
    }
    done(null, payload);
  });
  app.removeAllContentTypeParsers();
  const options = { parseAs: 'buffer', bodyLimit: MAX_JSON_BYTES } as const;
  app.addContentTypeParser('application/json', options, ({ method, raw }, body: Buffer, done) => {
    bodyMonitor.unwatch(raw);
    // Some clients send a content type with every request; a DELETE has no body.
    done(null, method === 'DELETE' && body.length === 0 ? undefined : parseJsonBody(body));
  });
}

/** Most bodies arrive together with their headers. */
function hasArrived({ complete, readableLength, headers }: IncomingMessage): boolean {
  return complete || String(readableLength) === headers['content-length'];
}

function isJson({ headers }: FastifyRequest): boolean {
  return /^application\/json\b/i.test(headers['content-type'] ?? '');
}

/** Fastify stops listening when it rejects the body. */
function ignoreError(): void {}

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

function createTooDeepError(): Problem {
  return new Problem('request.too-deep', {
    detail: `The JSON is nested more than ${MAX_DEPTH} levels deep; no request of this API needs more than 3.`,
  });
}

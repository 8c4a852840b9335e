import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Problem } from '@cloche/contract/problem';
import type { FastifyInstance } from 'fastify';
import { Deadlines } from './deadlines.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_DEPTH = 32;
const DEADLINE_MS = 30_000;

/** Makes the app read JSON bodies: bounded in size, depth and time before anything is parsed. */
export function readJsonBodies(app: FastifyInstance, deadlineMs = DEADLINE_MS): void {
  const deadlines = new Deadlines(deadlineMs);
  app.addHook('onClose', async () => deadlines[Symbol.dispose]());
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', ({ method }, body, done) => {
    readAll(body, deadlines, (error, bytes = Buffer.alloc(0)) => {
      if (error !== null) return done(error);
      // Some clients name a type with every request; a DELETE needs no body.
      if (method === 'DELETE' && bytes.length === 0) return done(null, undefined);
      let value: unknown;
      try {
        value = parseJson(bytes);
      } catch (problem) {
        // A parser hears of failures by its callback alone.
        return done(problem as Problem);
      }
      done(null, value);
    });
  });
}

/**
 * Parses JSON of a stranger.
 * @throws {Problem} request.broken-json, request.too-deep
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes))
    throw new Problem('request.broken-json', { detail: 'The body is not UTF-8.' });
  checkDepth(bytes);
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
function checkDepth(bytes: Buffer): void {
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

type Done = (error: Problem | null, bytes?: Buffer) => void;

/** Reads a body to its end, and calls `done` once. */
function readAll(body: IncomingMessage, deadlines: Deadlines, done: Done): void {
  const chunks: Buffer[] = [];
  let size = 0;
  let finished = false;
  const finish: Done = (error, bytes) => {
    if (finished) return;
    finished = true;
    deadlines.settle(wait);
    done(error, bytes);
  };
  const wait = deadlines.watch(() => finish(tooSlow(deadlines.ms)));
  body.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (finished) return;
    if (size <= MAX_BYTES) chunks.push(chunk);
    else finish(tooLarge());
  });
  body.on('end', () =>
    finish(null, chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)),
  );
  body.on('error', (cause) => finish(new Problem('request.malformed', { cause })));
}

function tooSlow(deadlineMs: number): Problem {
  return new Problem('request.timeout', {
    detail: `The body did not arrive within ${deadlineMs / 1000} s.`,
  });
}

function tooLarge(): Problem {
  return new Problem('request.too-large', {
    detail: `JSON bodies may have ${MAX_BYTES} bytes at most.`,
  });
}

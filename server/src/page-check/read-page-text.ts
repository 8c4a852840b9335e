import type { IncomingMessage } from 'node:http';
import { addAbortSignal, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { Problem } from '@cloche/contract/problem';

/** After decompression. Pages are 30 kB on average. */
const MAX_PAGE_BYTES = 2 * 1024 * 1024;

const HTML_TYPE = /^\s*(text\/html|application\/xhtml\+xml)\s*(;|$)/i;
/** How far browsers search for a `<meta>` that names the encoding. */
const META_SEARCH_BYTES = 1024;
/** Without any other information, browsers assume this encoding. */
const DEFAULT_CHARSET = 'windows-1252';

/**
 * Reads the body of a response as text, in the encoding that its headers or its first bytes name.
 *
 * @throws {Problem} page.not-html, page.too-large, page.unreachable
 */
export async function readPageText(
  response: IncomingMessage,
  signal: AbortSignal,
): Promise<string> {
  const { 'content-type': contentType = '', 'content-encoding': encoding = '' } = response.headers;
  if (!HTML_TYPE.test(contentType)) throw createNotHtmlError();
  const bytes = await readBytes(decompress(response, encoding.trim().toLowerCase(), signal));
  return decode(bytes, contentType);
}

function decompress(response: IncomingMessage, encoding: string, signal: AbortSignal): Readable {
  if (encoding === '' || encoding === 'identity') return response;
  const create = { gzip: createGunzip, 'x-gzip': createGunzip, br: createBrotliDecompress }[
    encoding
  ];
  if (create === undefined) throw createEncodingError();
  const decompressed = addAbortSignal(signal, create());
  response.on('error', (error) => decompressed.destroy(error));
  return response.pipe(decompressed);
}

async function readBytes(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_PAGE_BYTES) throw createTooLargeError();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** As in browsers: a byte order mark, then the header, then a `<meta>` near the beginning. */
function decode(bytes: Buffer, contentType: string): string {
  const marked = [
    [[0xef, 0xbb, 0xbf], 'utf-8'],
    [[0xff, 0xfe], 'utf-16le'],
    [[0xfe, 0xff], 'utf-16be'],
  ] as const;
  const [, fromMark] = marked.find(([mark]) => mark.every((b, i) => bytes[i] === b)) ?? [];
  const start = bytes.toString('latin1', 0, META_SEARCH_BYTES);
  const fromMeta = /<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([\w:.-]+)/i.exec(start)?.[1];
  const fromHeader = /;\s*charset\s*=\s*"?\s*([\w:.-]+)/i.exec(contentType)?.[1];
  // A `<meta>` that can be read as ASCII is not in UTF-16.
  const meta = fromMeta?.replace(/^utf-16.*/i, 'utf-8');
  for (const charset of [fromMark, fromHeader, meta]) {
    const decoder = charset === undefined ? undefined : findDecoder(charset);
    if (decoder !== undefined) return decoder.decode(bytes);
  }
  return new TextDecoder(DEFAULT_CHARSET).decode(bytes);
}

function findDecoder(charset: string) {
  try {
    return new TextDecoder(charset);
  } catch {
    // A name that browsers do not know either.
    return undefined;
  }
}

function createNotHtmlError(): Problem {
  return new Problem('page.not-html', {
    detail: 'The URL is not that of an HTML page: its Content-Type is not text/html.',
  });
}

function createEncodingError(): Problem {
  return new Problem('page.unreachable', {
    reason: 'encoding',
    detail: 'The page is compressed in another format than gzip and br, which were asked for.',
  });
}

function createTooLargeError(): Problem {
  return new Problem('page.too-large', {
    reason: 'body',
    detail: `The HTML of the page is larger than ${MAX_PAGE_BYTES / 1024 ** 2} MiB.`,
  });
}

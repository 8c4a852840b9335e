import type { ProblemDetails } from '@cloche/contract/problem';
import { ViewerError, type ViewerErrorCode } from '../viewer-error.ts';

/** Hears how much of the file has arrived, 0 to 1. */
export type ProgressCallback = (share: number) => void;

/**
 * Reads the answer to the model's request to its end.
 *
 * @param expectedBytes what the document promised; only the progress depends on it
 * @throws {ViewerError} offline, interrupted, stale, refused or unavailable
 */
export async function download(
  asked: Promise<Response>,
  expectedBytes: number,
  onProgress: ProgressCallback,
): Promise<ArrayBuffer> {
  const response = await asked.catch((cause: unknown) => {
    throw new ViewerError('offline', { cause });
  });
  if (!response.ok || response.body === null) throw await toDownloadError(response);

  let bytes = new Uint8Array(Math.max(expectedBytes, 1));
  let filled = 0;
  try {
    for await (const chunk of readChunks(response.body)) {
      bytes = ensureCapacity(bytes, filled + chunk.byteLength);
      bytes.set(chunk, filled);
      filled += chunk.byteLength;
      onProgress(Math.min(filled / expectedBytes, 1));
    }
  } catch (cause) {
    throw new ViewerError('interrupted', { cause });
  }
  return filled === bytes.byteLength ? bytes.buffer : bytes.buffer.slice(0, filled);
}

/** The body piece by piece. Not `for await` over the stream itself: Safari cannot. */
async function* readChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}

/** The same bytes with room for `needed`; twice the room when the promise was too small. */
function ensureCapacity(bytes: Uint8Array<ArrayBuffer>, needed: number): Uint8Array<ArrayBuffer> {
  if (needed <= bytes.byteLength) return bytes;
  const roomy = new Uint8Array(Math.max(needed, bytes.byteLength * 2));
  roomy.set(bytes);
  return roomy;
}

async function toDownloadError(response: Response): Promise<ViewerError> {
  const problem = await readProblemBody(response);
  const kind = toViewerErrorCode(response.status, problem.code);
  // A stale grant is told in our own words: the visitor cannot act on the wire's.
  return new ViewerError(kind, kind === 'grant-expired' ? {} : { detail: problem.detail });
}

async function readProblemBody(response: Response): Promise<Partial<ProblemDetails>> {
  if (!response.headers.get('content-type')?.startsWith('application/problem+json')) return {};
  // A problem cut off on its way still has its status.
  return response.json().catch(() => ({})) as Promise<Partial<ProblemDetails>>;
}

function toViewerErrorCode(status: number, code: string | undefined): ViewerErrorCode {
  if (code === 'embed.grant') return 'grant-expired';
  return status >= 500 || status === 408 || status === 429 ? 'unavailable' : 'refused';
}

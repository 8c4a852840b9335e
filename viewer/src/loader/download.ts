import type { ProblemDetails } from '@cloche/contract/problem';
import { ViewerError, type ViewerErrorCode } from '../viewer-error.ts';

/** How much of a file has been downloaded. `loadedBytes` never exceeds `totalBytes`. */
export type DownloadProgress = { loadedBytes: number; totalBytes: number };

/**
 * Reads the response to the end.
 *
 * @param expectedBytes used for the progress only: the file may be shorter or longer
 * @throws {ViewerError} offline, interrupted, grant-expired, processing-failed, refused or unavailable
 */
export async function download(
  pendingResponse: Promise<Response>,
  expectedBytes: number,
  onProgress: (progress: DownloadProgress) => void,
): Promise<ArrayBuffer> {
  const response = await waitForData(pendingResponse).catch((cause: unknown) => {
    throw new ViewerError('offline', { cause });
  });
  if (!response.ok || response.body === null) throw await toDownloadError(response);

  let bytes = new Uint8Array(Math.max(expectedBytes, 1));
  let loadedBytes = 0;
  try {
    for await (const chunk of readChunks(response.body)) {
      bytes = ensureCapacity(bytes, loadedBytes + chunk.byteLength);
      bytes.set(chunk, loadedBytes);
      loadedBytes += chunk.byteLength;
      onProgress({ loadedBytes, totalBytes: Math.max(expectedBytes, loadedBytes) });
    }
  } catch (cause) {
    throw new ViewerError('interrupted', { cause });
  }
  if (loadedBytes < expectedBytes) onProgress({ loadedBytes, totalBytes: loadedBytes });
  return loadedBytes === bytes.byteLength ? bytes.buffer : bytes.buffer.slice(0, loadedBytes);
}

/** Yields the chunks of a body. Safari cannot iterate over a stream with `for await`. */
async function* readChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const next = await waitForData(reader.read());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // After an error, the rest of the response is not needed. An error of the cancellation changes nothing.
    reader.cancel().catch(() => undefined);
  }
}

/** A connection that was cut without a trace delivers nothing and never fails. */
const STALL_TIMEOUT_MS = 30_000;

/** Rejects if a response or its next bytes do not arrive in time. */
export async function waitForData<T>(pending: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stalled = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The connection has stalled.')), STALL_TIMEOUT_MS);
  });
  return Promise.race([pending, stalled]).finally(() => clearTimeout(timer));
}

/** Returns an array of at least `neededBytes` with the same content. It grows to at least double its size. */
function ensureCapacity(
  bytes: Uint8Array<ArrayBuffer>,
  neededBytes: number,
): Uint8Array<ArrayBuffer> {
  if (neededBytes <= bytes.byteLength) return bytes;
  const grown = new Uint8Array(Math.max(neededBytes, bytes.byteLength * 2));
  grown.set(bytes);
  return grown;
}

/** @param problem its body, if that was read before */
export async function toDownloadError(
  response: Response,
  problem?: Partial<ProblemDetails>,
): Promise<ViewerError> {
  const { code, detail } = problem ?? (await readProblem(response));
  return new ViewerError(toViewerErrorCode(response.status, code), { advice: detail });
}

/** Reads the problem in the body of an error response. Empty if there is none. */
export async function readProblem(response: Response): Promise<Partial<ProblemDetails>> {
  if (!response.headers.get('content-type')?.startsWith('application/problem+json')) return {};
  // If the body is not valid JSON, the code depends on the status only.
  return response.json().catch(() => ({})) as Promise<Partial<ProblemDetails>>;
}

function toViewerErrorCode(status: number, problemCode: string | undefined): ViewerErrorCode {
  if (problemCode === 'embed.grant' || problemCode === 'embed.ticket') return 'grant-expired';
  if (problemCode === 'design.failed') return 'processing-failed';
  return status >= 500 || status === 408 || status === 429 ? 'unavailable' : 'refused';
}

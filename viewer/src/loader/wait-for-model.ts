import type { ProblemDetails } from '@cloche/contract/problem';
import type { PendingModel } from '@cloche/contract/viewer-config';
import { requestAsset } from '../request-asset.ts';
import { ViewerError, type ViewerErrorCode } from '../viewer-error.ts';
import { download, readProblem, toDownloadError, waitForData } from './download.ts';

/** The time between two requests: the shortest, its growth after each, and the longest. */
const [FIRST_DELAY_MS, DELAY_GROWTH, MAX_DELAY_MS] = [500, 1.5, 10_000];
/** A random part is added, so that the visitors of a page do not ask at the same time. */
const MAX_JITTER = 0.25;
/** A service that asks for more has a wrong clock. */
const MAX_RETRY_AFTER_MS = 10 * 60_000;

/** What a restart of the service, or a network that is away for a moment, causes. */
const TEMPORARY_ERRORS: readonly ViewerErrorCode[] = ['offline', 'interrupted', 'unavailable'];
/** So many of them in a row are reported. Then the visitor can try again. */
const MAX_TEMPORARY_ERRORS = 6;

type WaitForModelOptions = {
  url: string;
  grant: string;
  /** Ends the waiting. */
  signal: AbortSignal;
  /** Resolves when a visitor can see the embed. Nothing is requested before. */
  waitUntilVisible: () => Promise<void>;
};

/**
 * Waits until the model of a design is ready whose preview is shown. Each response says that the model is not ready, is
 * the model, or is final. Temporary errors are final if several follow each other.
 *
 * @throws {ViewerError} as `download`; processing-failed: there will be no model
 */
export async function waitForModel(options: WaitForModelOptions): Promise<PendingModel> {
  const { signal, waitUntilVisible } = options;
  let errorCount = 0;
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * DELAY_GROWTH, MAX_DELAY_MS)) {
    await waitUntilVisible();
    let minDelayMs = delayMs;
    try {
      const answer = await requestModel(options);
      if ('model' in answer) return answer;
      // 0: the model is nearly ready, and this delay is the next one.
      if (answer.retryAfterMs === 0) delayMs = FIRST_DELAY_MS / DELAY_GROWTH;
      minDelayMs = Math.max(delayMs, FIRST_DELAY_MS, answer.retryAfterMs ?? 0);
      errorCount = 0;
    } catch (error) {
      errorCount++;
      if (errorCount === MAX_TEMPORARY_ERRORS || !isTemporary(error)) throw error;
    }
    await sleep(minDelayMs * (1 + Math.random() * MAX_JITTER), signal);
  }
}

const isTemporary = (error: unknown) =>
  error instanceof ViewerError && TEMPORARY_ERRORS.includes(error.code);

/** Returns the model, or when to ask again. */
async function requestModel({
  url,
  grant,
  signal,
}: WaitForModelOptions): Promise<PendingModel | { retryAfterMs: number | undefined }> {
  const pending = requestAsset(url, grant, signal);
  const response = await waitForData(pending).catch((cause: unknown) => {
    throw new ViewerError('offline', { cause });
  });
  if (response.ok) {
    const bytes = await download(Promise.resolve(response), 0, () => {});
    return JSON.parse(new TextDecoder().decode(bytes)) as PendingModel;
  }
  const problem = await waitForData(readProblem(response)).catch(
    (): Partial<ProblemDetails> => ({}),
  );
  if (problem.code === 'design.not-ready') return { retryAfterMs: readRetryAfter(response) };
  throw await toDownloadError(response, problem);
}

/** Returns `Retry-After` in milliseconds: it has seconds or a date. Undefined if there is none, or the date is over. */
function readRetryAfter({ headers }: Response): number | undefined {
  const text = headers.get('retry-after') ?? '';
  const isSeconds = /^\d+$/.test(text);
  const ms = isSeconds ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return isSeconds || ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
}

import type { PendingModel } from '@cloche/contract/viewer-config';
import { requestAsset } from '../request-asset.ts';
import { download, readProblem, toDownloadError } from './download.ts';

/** The time between two requests: after the first, its growth after each, and the longest. */
const [FIRST_DELAY_MS, DELAY_GROWTH, MAX_DELAY_MS] = [500, 1.5, 10_000];
/** A random part is added, so that the visitors of a page do not ask at the same time. */
const MAX_JITTER = 0.25;
/** A service that asks for more has a wrong clock. */
const MAX_RETRY_AFTER_MS = 10 * 60_000;

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
 * the model, or is final.
 *
 * @throws {ViewerError} as `download`; processing-failed: there will be no model
 */
export async function waitForModel(options: WaitForModelOptions): Promise<PendingModel> {
  const { url, grant, signal, waitUntilVisible } = options;
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * DELAY_GROWTH, MAX_DELAY_MS)) {
    await waitUntilVisible();
    const pending = requestAsset(url, grant, signal);
    const response = await pending.catch(() => undefined);
    // Without a response, `download` says why.
    if (response === undefined || response.ok) {
      const bytes = await download(pending, 0, () => {});
      return JSON.parse(new TextDecoder().decode(bytes)) as PendingModel;
    }
    const problem = await readProblem(response);
    if (problem.code !== 'design.not-ready') throw await toDownloadError(response, problem);
    const minDelayMs = Math.max(delayMs, readRetryAfter(response));
    await sleep(minDelayMs * (1 + Math.random() * MAX_JITTER), signal);
  }
}

/** Returns `Retry-After` in milliseconds: it has seconds or a date. 0 if there is none. */
function readRetryAfter({ headers }: Response): number {
  const text = headers.get('retry-after') ?? '0';
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : 0;
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

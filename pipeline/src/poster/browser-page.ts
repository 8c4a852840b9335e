import type { CdpClient, CdpEvent } from './cdp-client.ts';
import type { PosterRequestHandler } from './request-handler.ts';

/** A page in its own browser context, which is disposed with the page. */
export type BrowserPage = AsyncDisposable & {
  send<Result = unknown>(method: string, params?: object): Promise<Result>;
  /** Evaluates an expression, and awaits its value if it is a promise. */
  evaluate<Result>(expression: string): Promise<Result>;
  /** Rejects when the page crashes. */
  crashed: Promise<never>;
};

type RequestPausedParams = { requestId: string; request: { url: string } };
type EvaluateResult = { result: { value: unknown }; exceptionDetails?: { text: string } };

/**
 * Opens a page. `handleRequest` responds to its requests; a request without a response fails.
 * Downloads are denied.
 */
export async function openBrowserPage(
  cdp: CdpClient,
  handleRequest: PosterRequestHandler,
): Promise<BrowserPage> {
  const { browserContextId } = await cdp.send<{ browserContextId: string }>(
    'Target.createBrowserContext',
  );
  const { targetId } = await cdp.send<{ targetId: string }>('Target.createTarget', {
    url: 'about:blank',
    browserContextId,
  });
  const { sessionId } = await cdp.send<{ sessionId: string }>('Target.attachToTarget', {
    targetId,
    flatten: true,
  });
  const send = <Result>(method: string, params?: object) =>
    cdp.send<Result>(method, params, sessionId);
  const evaluate = async <Result>(expression: string) => {
    const params = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await send<EvaluateResult>('Runtime.evaluate', params);
    if (exceptionDetails) throw new Error(`The page failed: ${exceptionDetails.text}`);
    return result.value as Result;
  };

  const { promise: crashed, reject } = Promise.withResolvers<never>();
  crashed.catch(() => undefined);
  const subscription = cdp.subscribe((event: CdpEvent) => {
    if (event.sessionId !== sessionId) return;
    if (event.method === 'Inspector.targetCrashed') reject(new Error('The page crashed.'));
    if (event.method !== 'Fetch.requestPaused') return;
    fulfillRequest(event.params as RequestPausedParams, handleRequest, send).catch(reject);
  });
  await Promise.all([
    cdp.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId }),
    send('Inspector.enable'),
    send('Page.enable'),
    send('Fetch.enable', { patterns: [{ urlPattern: '*' }] }),
  ]);

  return {
    send,
    evaluate,
    crashed,
    async [Symbol.asyncDispose]() {
      subscription[Symbol.dispose]();
      if (!cdp.closed) await cdp.send('Target.disposeBrowserContext', { browserContextId });
    },
  };
}

async function fulfillRequest(
  { requestId, request }: RequestPausedParams,
  handleRequest: PosterRequestHandler,
  send: BrowserPage['send'],
): Promise<void> {
  const response = handleRequest(request.url);
  if (response === undefined) {
    await send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
    return;
  }
  const responseHeaders = Object.entries(response.headers).map(([name, value]) => ({
    name,
    value,
  }));
  const body = response.body.toString('base64');
  await send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders, body });
}

import type { CdpClient, CdpEvent } from './cdp-client.ts';
import type { PosterRequestHandler } from './request-handler.ts';

/** A page of the browser, alone in a profile that is gone with it. */
export type BrowserPage = AsyncDisposable & {
  send<Result = unknown>(method: string, params?: object): Promise<Result>;
  /** Evaluates an expression, and what it promises. */
  evaluate<Result>(expression: string): Promise<Result>;
  /** Rejects when the page breaks down. */
  crashed: Promise<never>;
};

type RequestPausedParams = { requestId: string; request: { url: string } };
type EvaluateResult = { result: { value: unknown }; exceptionDetails?: { text: string } };

/** Opens a page whose every request is answered by `site`, or fails. Nothing can be saved. */
export async function openBrowserPage(
  devtools: CdpClient,
  site: PosterRequestHandler,
): Promise<BrowserPage> {
  const { browserContextId } = await devtools.send<{ browserContextId: string }>(
    'Target.createBrowserContext',
  );
  const { targetId } = await devtools.send<{ targetId: string }>('Target.createTarget', {
    url: 'about:blank',
    browserContextId,
  });
  const { sessionId } = await devtools.send<{ sessionId: string }>('Target.attachToTarget', {
    targetId,
    flatten: true,
  });
  const send = <Result>(method: string, params?: object) =>
    devtools.send<Result>(method, params, sessionId);
  const evaluate = async <Result>(expression: string) => {
    const how = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await send<EvaluateResult>('Runtime.evaluate', how);
    if (exceptionDetails) throw new Error(`The page failed: ${exceptionDetails.text}`);
    return result.value as Result;
  };

  const { promise: crashed, reject } = Promise.withResolvers<never>();
  crashed.catch(() => undefined);
  const attend = (happening: CdpEvent) => {
    if (happening.sessionId !== sessionId) return;
    if (happening.method === 'Inspector.targetCrashed') reject(new Error('The page crashed.'));
    if (happening.method !== 'Fetch.requestPaused') return;
    fulfillRequest(happening.params as RequestPausedParams, site, send).catch(reject);
  };
  const listening = devtools.subscribe(attend);
  await Promise.all([
    devtools.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId }),
    send('Inspector.enable'),
    send('Page.enable'),
    send('Fetch.enable', { patterns: [{ urlPattern: '*' }] }),
  ]);

  return {
    send,
    evaluate,
    crashed,
    async [Symbol.asyncDispose]() {
      listening[Symbol.dispose]();
      if (!devtools.closed) {
        await devtools.send('Target.disposeBrowserContext', { browserContextId });
      }
    },
  };
}

async function fulfillRequest(
  { requestId, request }: RequestPausedParams,
  site: PosterRequestHandler,
  send: BrowserPage['send'],
): Promise<void> {
  const found = site(request.url);
  if (found === undefined) {
    await send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
    return;
  }
  const responseHeaders = Object.entries(found.headers).map(([name, value]) => ({ name, value }));
  const body = found.body.toString('base64');
  await send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders, body });
}

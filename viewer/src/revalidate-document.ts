import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { requestAsset } from './request-asset.ts';

/** After this time without an answer, the document is requested in place of it: before the SDK of the page gives up (CONNECT_TIMEOUT_MS). */
const TIMEOUT_MS = 8000;

/**
 * Shows a document from the browser's cache if the service says that it would send the same again. A document that the service has just
 * sent is shown already.
 *
 * @returns why the document is still hidden: the code of a problem, or `offline`; empty if it is shown
 */
export async function revalidateDocument(
  config: ViewerConfig,
  { dataset }: HTMLElement,
  { pathname, search }: Location,
): Promise<string> {
  if (dataset.cached === undefined) return '';
  try {
    const url = `${pathname}/${config.documentVersion}${search}`;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const { grant, code } = await (await requestAsset(url, config.grant, signal)).json();
    if (!grant) return code || 'offline';
    config.grant = grant;
    delete dataset.cached;
    return '';
  } catch {
    return 'offline';
  }
}

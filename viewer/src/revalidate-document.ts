import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { requestAsset } from './request-asset.ts';

/** Without an answer for so long, the document itself is requested. Shorter than the SDK of the page waits (CONNECT_TIMEOUT_MS). */
const TIMEOUT_MS = 8000;

/**
 * Shows a document from the browser's cache if the service says that it would send the same again. A document that the service has just
 * sent is shown already.
 *
 * @returns whether the document is shown
 */
export async function revalidateDocument(
  config: ViewerConfig,
  { dataset }: HTMLElement,
  { pathname, search }: Location,
): Promise<boolean> {
  if (dataset.cached === undefined) return true;
  try {
    const url = `${pathname}/${config.documentVersion}${search}`;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const { grant } = await (await requestAsset(url, config.grant, signal)).json();
    if (!grant) return false;
    config.grant = grant;
    delete dataset.cached;
    return true;
  } catch {
    return false;
  }
}

import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { requestAsset } from './request-asset.ts';

/**
 * Shows a document from the browser's cache if the service says that it would send the same again. Resolves with false if not: then it is still
 * hidden. A document that the service has just sent is shown already.
 */
export async function validateDocument(
  config: ViewerConfig,
  { dataset }: HTMLElement,
  { pathname, search }: Location,
): Promise<boolean> {
  if (dataset.cached === undefined) return true;
  try {
    const response = await requestAsset(`${pathname}/${config.version}${search}`, config.grant);
    if (!response.ok) return false;
    Object.assign(config, await response.json());
    delete dataset.cached;
    return true;
  } catch {
    return false;
  }
}

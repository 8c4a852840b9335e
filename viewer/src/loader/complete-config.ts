import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { waitForModel } from './wait-for-model.ts';
import { waitUntilVisible } from './wait-until-visible.ts';

/**
 * Waits until the model is ready, and adds it to the config.
 *
 * @param element the embed: nothing is requested while it is not in view
 * @throws {ViewerError} as `waitForModel`
 */
export async function completeConfig(
  config: ViewerConfig,
  element: Element,
  signal: AbortSignal,
): Promise<void> {
  const { pendingModelUrl: url, grant } = config;
  if (url === undefined) return;
  const untilVisible = () => waitUntilVisible(element, signal);
  const pendingModel = await waitForModel({ url, grant, signal, waitUntilVisible: untilVisible });
  Object.assign(config, pendingModel);
  delete config.pendingModelUrl;
}

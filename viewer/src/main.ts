import { takeBootState } from './boot-state.ts';
import { connectHost } from './messages/connect-host.ts';
import { mountErrorOverlay } from './ui/error-overlay.ts';
import { mountProgressBar } from './ui/progress-bar.ts';
import { Viewer } from './viewer.ts';

const bootstrap = takeBootState();
// If it is undefined, the design may not be shown, and boot.ts shows the reason.
if (bootstrap !== undefined) {
  const { config, started, load, firstResponse, synQueue } = bootstrap;
  const viewer = new Viewer({
    document,
    config,
    load,
    loadDeferredFeatures: async () =>
      (await import('./mount-deferred-features.ts')).mountDeferredFeatures,
  });
  mountProgressBar(viewer, document.getElementById('progress') as HTMLProgressElement);
  mountErrorOverlay(viewer, { document, description: config.design.description });
  if (synQueue !== undefined) void connectHost(viewer, synQueue, started);
  await started;
  await viewer.start(firstResponse);
}

import { takeBootState } from './boot-state.ts';
import { reportFailure } from './messages/report-failure.ts';
import { reloadAfterReturn } from './reload-after-return.ts';
import { mountErrorOverlay } from './ui/error-overlay.ts';
import { mountProgressBar } from './ui/progress-bar.ts';
import { Viewer } from './viewer.ts';

const bootstrap = takeBootState();
// If it is undefined, the design may not be shown, and boot.ts shows the reason.
if (bootstrap !== undefined) {
  const { config, isShown, started, load, isRequested, firstResponse, synQueue } = bootstrap;
  const { preloadControls } = bootstrap;
  const viewer = new Viewer({
    document,
    config,
    load,
    loadDeferredFeatures: async () => {
      preloadControls?.();
      return (await import('./mount-deferred-features.ts')).mountDeferredFeatures;
    },
  });
  mountProgressBar(viewer, document.getElementById('progress') as HTMLProgressElement);
  mountErrorOverlay(viewer, { document, description: config.design.description });
  if (synQueue !== undefined) {
    const connect = async () => {
      // The channel receives the later ones.
      synQueue.onSyn = () => {};
      if (!(await isShown)) return;
      try {
        const { connectHost } = await import('./messages/connect-host.ts');
        void connectHost(viewer, synQueue, started);
      } catch {
        // The visitor sees the design all the same.
        reportFailure(window, 'viewer.script', synQueue);
      }
    };
    synQueue.onSyn = connect;
    if (synQueue.syns.length > 0) void connect();
  }
  // Not a top-level await: see build/scripts.ts.
  void started.then(() => viewer.start(firstResponse));
  let hasControls = false;
  viewer.on('controlsready', () => {
    hasControls = true;
  });
  // From the first request, which does not wait until the document is known to be in view. A cancelled one may have failed before the event.
  reloadAfterReturn(() => isRequested() && (viewer.state !== 'ready' || !hasControls));
}

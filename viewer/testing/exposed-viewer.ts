/** An entry script like main.ts. It exposes the viewer and its events to the test. */
import { takeBootState } from '../src/boot-state.ts';
import { Viewer } from '../src/viewer.ts';

declare global {
  /** Set by exposed-viewer.ts before the design is loaded. */
  var exposedViewer: { viewer: Viewer; events: [name: string, payload: object][] };
}

const bootstrap = takeBootState();
if (bootstrap !== undefined) {
  const { config, load, firstResponse } = bootstrap;
  const viewer = new Viewer({
    document,
    config,
    load,
    loadDeferredFeatures: async () =>
      (await import('../src/mount-deferred-features.ts')).mountDeferredFeatures,
  });
  const events: (typeof globalThis.exposedViewer)['events'] = [];
  viewer.on('statechange', ({ state }) => events.push(['statechange', { state }]));
  viewer.on('modelchange', ({ isPreview }) => events.push(['modelchange', { isPreview }]));
  viewer.on('variantchange', (payload) => events.push(['variantchange', payload]));
  viewer.on('animationchange', (payload) => events.push(['animationchange', payload]));
  viewer.on('contextlost', () => events.push(['contextlost', {}]));
  viewer.on('contextrestored', () => events.push(['contextrestored', {}]));
  viewer.on('error', ({ error: { code } }) => events.push(['error', { code }]));
  viewer.on('viewchange', ({ goal: { azimuth } }) => events.push(['viewchange', { azimuth }]));
  viewer.on('play', ({ name }) => events.push(['play', { name }]));
  viewer.on('pause', ({ name }) => events.push(['pause', { name }]));
  viewer.on('pick', ({ part: { name } }) => events.push(['pick', { name }]));
  globalThis.exposedViewer = { viewer, events };
  // Not a top-level await: see build/scripts.ts.
  void viewer.start(firstResponse);
}

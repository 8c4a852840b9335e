/**
 * What a page does with a handle, in this order. `run` is evaluated in the page, where `window.handle` is the handle of a
 * box with the animations Spin and Turn and the variant Pink.
 */
import type {} from '../sdk/testing/page-globals.d.ts';

type ViewerApiCase = {
  name: string;
  run: () => unknown;
  /** The result. Undefined: any that is true. */
  expected?: unknown;
};

const code = 'viewer.unknown-variant';

export const VIEWER_API_CASES: readonly ViewerApiCase[] = [
  { name: 'ready', run: async () => (await window.handle.ready).iframe === window.handle.iframe },
  {
    name: 'load, and the events of loading',
    run: async () => {
      await window.handle.load();
      const isMissing = (name: string) => !(name in window.events);
      while (['load', 'progress', 'model-visibility'].some(isMissing))
        await new Promise(requestAnimationFrame);
      return true;
    },
  },
  {
    name: 'setOptions and getOptions',
    run: async () => {
      await window.handle.setOptions({ exposure: 1.5, cameraOrbit: '30deg 60deg 120%' });
      const { exposure } = await window.handle.getOptions();
      await window.handle.setOptions({ exposure: null, cameraOrbit: null });
      return exposure;
    },
    expected: 1.5,
  },
  {
    name: 'setCamera, getCamera and the event camera-change',
    run: async () => {
      await window.handle.setCamera({ orbit: { theta: 1, phi: 1 } }, { durationMs: 0 });
      while (!('camera-change' in window.events)) await new Promise(requestAnimationFrame);
      const { theta, phi } = (await window.handle.getCamera()).orbit;
      return [theta.toFixed(2), phi.toFixed(2)];
    },
    expected: ['1.00', '1.00'],
  },
  {
    name: 'resetCamera',
    run: async () => {
      await window.handle.resetCamera({ durationMs: 0 });
      return (await window.handle.getCamera()).orbit.theta.toFixed(2) !== '1.00';
    },
  },
  { name: 'getVariants', run: () => window.handle.getVariants(), expected: ['Pink'] },
  {
    name: 'setVariant and getVariant',
    run: async () => {
      await window.handle.setVariant('Pink');
      const pink = await window.handle.getVariant();
      await window.handle.setVariant(null);
      return [pink, await window.handle.getVariant()];
    },
    expected: ['Pink', null],
  },
  {
    name: 'an error',
    run: () => window.handle.setVariant('None').catch(({ code }) => code),
    expected: code,
  },
  {
    name: 'getAnimations',
    run: () => window.handle.getAnimations(),
    expected: [
      { name: 'Spin', duration: 2 },
      { name: 'Turn', duration: 2 },
    ],
  },
  {
    name: 'selectAnimation, pause, seek and getAnimation',
    run: async () => {
      await window.handle.selectAnimation('Turn');
      await window.handle.play();
      await window.handle.pause();
      await window.handle.seek(1);
      while (!('play' in window.events && 'pause' in window.events))
        await new Promise(requestAnimationFrame);
      return window.handle.getAnimation();
    },
    expected: { name: 'Turn', playing: false, time: 1, duration: 2 },
  },
  {
    name: 'getParts, hideParts, showParts, isolateParts, setPartColor, resetParts and frame',
    run: async () => {
      const [part] = await window.handle.getParts();
      if (part === undefined) return 'no part';
      const isVisible = async () => (await window.handle.getParts())[0]?.visible;
      await window.handle.hideParts([part.id]);
      const hidden = await isVisible();
      await window.handle.showParts([part.id]);
      const shown = await isVisible();
      await window.handle.isolateParts([part.id]);
      await window.handle.setPartColor([part.id], '#ff0000');
      await window.handle.resetParts();
      await window.handle.frame(part.id, { durationMs: 0 });
      return [hidden, shown, await isVisible()];
    },
    expected: [false, true, true],
  },
  {
    name: 'pick',
    run: async () => {
      const result = await window.handle.pick(200, 150);
      return [typeof result?.part.id, await window.handle.pick(1, 1)];
    },
    expected: ['number', null],
  },
  {
    name: 'toBlob',
    run: async () => {
      const blob = await window.handle.toBlob({ type: 'image/png', width: 40, height: 30 });
      const { width, height } = await createImageBitmap(blob);
      return [blob.type, width, height];
    },
    expected: ['image/png', 40, 30],
  },
  {
    name: 'call',
    run: () => window.handle.call('none').catch(({ code }) => code),
    expected: 'sdk.unsupported-method',
  },
  {
    name: 'on and off',
    run: async () => {
      const log: string[] = [];
      const listener = () => log.push('off');
      window.handle.on('play', listener);
      window.handle.off('play', listener);
      window.handle.on('play', () => log.push('removed'))();
      window.handle.on('play', () => log.push('on'));
      await window.handle.play();
      while (log.length === 0) await new Promise(requestAnimationFrame);
      await window.handle.pause();
      return log;
    },
    expected: ['on'],
  },
];

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { openSharedChromium } from '../../e2e/shared-chromium.ts';
import { BROWSER_TARGETS } from '../build/browser-targets.ts';
import { createAnimatedBoxGlb } from './animated-models.ts';
import { createMeshoptBoxGlb } from './box-models.ts';
import {
  findPixels,
  isGreen,
  openEmbeddedViewer,
  selectInMenu,
  waitForControls,
  waitUntilLoaded,
} from './embedded-viewer.ts';

const TARGET_NAMES: Record<string, string> = {
  Chrome: 'chrome',
  Edge: 'edge',
  Firefox: 'firefox',
  'Safari on macOS': 'safari',
  'Safari on iOS and iPadOS': 'ios',
};

it('docs/embed.md lists the browsers that the viewer is built for', async () => {
  const text = await readFile(join(import.meta.dirname, '../../docs/embed.md'), 'utf8');
  const section = text.split('\n## ').find((part) => part.startsWith('Browsers\n')) ?? '';
  const rows = [...section.matchAll(/^\| ([A-Z][^|]*) \| ([\d.]+) \|$/gm)];
  const documented = rows.map(([, name = '', version]) => `${TARGET_NAMES[name]}${version}`);
  assert.deepEqual(documented.toSorted(), BROWSER_TARGETS.toSorted());
});

/** Removes what at least one of the oldest supported browsers lacks. Runs in the page and in the frame. */
function removeNewApis(): void {
  const removed: [owner: object | undefined, names: string[]][] = [
    [Array, ['fromAsync']],
    [ArrayBuffer.prototype, ['transfer', 'transferToFixedLength', 'resize', 'resizable']],
    [Object, ['groupBy']],
    [Map, ['groupBy']],
    [Map.prototype, ['getOrInsert', 'getOrInsertComputed']],
    [Math, ['f16round', 'sumPrecise']],
    [Promise, ['withResolvers', 'try']],
    [RegExp, ['escape']],
    [
      Set.prototype,
      ['union', 'intersection', 'difference', 'symmetricDifference', 'isSubsetOf', 'isSupersetOf'],
    ],
    [String.prototype, ['isWellFormed', 'toWellFormed']],
    [Uint8Array, ['fromBase64', 'fromHex']],
    [Uint8Array.prototype, ['toBase64', 'toHex', 'setFromBase64', 'setFromHex']],
    [AbortSignal, ['any']],
    [Document.prototype, ['startViewTransition']],
    [
      Element.prototype,
      [
        'checkVisibility',
        'moveBefore',
        'role',
        'ariaExpanded',
        'ariaLabel',
        'ariaHidden',
        'ariaLive',
      ],
    ],
    [HTMLElement.prototype, ['popover', 'showPopover', 'hidePopover', 'togglePopover']],
    [ReadableStream, ['from']],
    [ReadableStream.prototype, ['values']],
    [Response, ['json']],
    [URL, ['canParse', 'parse']],
    [
      globalThis,
      ['requestIdleCallback', 'scheduler', 'navigation', 'CloseWatcher', 'Float16Array'],
    ],
  ];
  const iterator = (globalThis as { Iterator?: { prototype: object } }).Iterator?.prototype;
  const helpers = [
    'map',
    'filter',
    'take',
    'drop',
    'flatMap',
    'reduce',
    'toArray',
    'forEach',
    'some',
  ];
  removed.push([iterator, [...helpers, 'every', 'find']], [globalThis, ['Iterator']]);
  for (const [owner, names] of removed)
    for (const name of names) if (owner !== undefined) Reflect.deleteProperty(owner, name);
  Reflect.deleteProperty(ReadableStream.prototype, Symbol.asyncIterator);
  // `Symbol.dispose` cannot be deleted, only left out of a copy.
  const { dispose, asyncDispose, ...symbols } = Object.getOwnPropertyDescriptors(Symbol) as Record<
    string,
    PropertyDescriptor
  >;
  const createSymbol = Symbol;
  const copy = (description?: string) => createSymbol(description);
  globalThis.Symbol = Object.defineProperties(copy, symbols) as SymbolConstructor;
  const checked = ['dispose' in Symbol, 'withResolvers' in Promise, 'any' in AbortSignal];
  Object.assign(globalThis, { hasNewApis: checked.includes(true) });
}

it('shows a design without anything that the oldest supported browsers lack', async (t) => {
  const browser = await openSharedChromium();
  t.after(() => browser.close());
  const model = createAnimatedBoxGlb({ animations: ['Spin', 'Turn'], variants: ['Pink'] });
  const preview = await createMeshoptBoxGlb();
  const { page, frame, consoleErrors } = await openEmbeddedViewer(
    t,
    browser,
    {
      model,
      files: { '/preview.glb': preview },
      config: { preview: { url: '/preview.glb', bytes: preview.byteLength } },
    },
    { script: removeNewApis, reducedMotion: 'reduce' },
  );
  assert.equal(await frame.evaluate('hasNewApis'), false);
  await waitUntilLoaded(frame);
  await frame.waitForFunction(() => document.documentElement.dataset.state === 'ready');
  await waitForControls(frame);
  assert.ok((await findPixels(page, isGreen)).count > 10_000);
  await selectInMenu(frame, 'Variants', 'Pink');
  await selectInMenu(frame, 'Animations', 'Turn');
  await frame.getByRole('button', { name: 'Play animation' }).click();
  await frame.getByRole('button', { name: 'Rotate left' }).click();
  await frame.locator('#view').press('?');
  await frame.getByRole('dialog', { name: 'Help' }).press('Escape');
  await frame.locator('#live-region', { hasText: /°/ }).waitFor({ state: 'attached' });
  await frame.getByRole('button', { name: 'Fullscreen' }).click();
  await frame.getByRole('button', { name: 'Exit fullscreen' }).click();
  assert.deepEqual(consoleErrors, []);
});

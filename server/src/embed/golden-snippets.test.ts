import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { VIEWER_OPTION_NAMES, type ViewerOptions } from '@cloche/contract/viewer-options';
import { openTestServer } from '../../testing/harness.ts';
import {
  HOST_HEADER,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  uploadTestDesign,
} from '../../testing/requests.ts';
import type { DesignRecord } from '../designs/design.ts';
import { createSnippet } from './snippet.ts';

/**
 * Snippets as they are in the pages of users. Never change a row: docs/stability.md promises that these URLs work under
 * every later release. A row may be added, for an option that is new.
 */
const GOLDEN: [options: ViewerOptions | undefined, html: string][] = [
  [
    undefined,
    '<iframe src="https://cloche.example/embed/iframe/v1/8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55?token=CLOCHE_EMBED_TOKEN" title="Oak chair" loading="lazy" referrerpolicy="strict-origin" allow="fullscreen; xr-spatial-tracking" style="display:block;width:100%;aspect-ratio:1.33;border:0;background:#dfe2e7"></iframe>',
  ],
  [
    {},
    '<iframe src="https://cloche.example/embed/iframe/v1/8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55?token=CLOCHE_EMBED_TOKEN" title="Oak chair" loading="lazy" referrerpolicy="strict-origin" allow="fullscreen; xr-spatial-tracking" style="display:block;width:100%;aspect-ratio:1.33;border:0;background:#dfe2e7"></iframe>',
  ],
  [
    {
      cameraOrbit: '30deg 75deg 105%',
      cameraTarget: '0m 0.4m 0m',
      fieldOfView: '25deg',
      minCameraOrbit: '-90deg 30deg 50%',
      maxCameraOrbit: '90deg 90deg 200%',
    },
    '<iframe src="https://cloche.example/embed/iframe/v1/8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55?token=CLOCHE_EMBED_TOKEN&amp;camera-orbit=30deg%2075deg%20105%25&amp;camera-target=0m%200.4m%200m&amp;field-of-view=25deg&amp;min-camera-orbit=-90deg%2030deg%2050%25&amp;max-camera-orbit=90deg%2090deg%20200%25" title="Oak chair" loading="lazy" referrerpolicy="strict-origin" allow="fullscreen; xr-spatial-tracking" style="display:block;width:100%;aspect-ratio:1.33;border:0;background:#dfe2e7"></iframe>',
  ],
  [
    {
      autoRotate: true,
      autoRotateDelay: 1000,
      rotationPerSecond: '12deg',
      variantName: 'Oak',
      animationName: 'Open',
      autoplay: false,
      exposure: 1.2,
      shadowIntensity: 0.5,
    },
    '<iframe src="https://cloche.example/embed/iframe/v1/8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55?token=CLOCHE_EMBED_TOKEN&amp;auto-rotate=true&amp;auto-rotate-delay=1000&amp;rotation-per-second=12deg&amp;variant-name=Oak&amp;animation-name=Open&amp;autoplay=false&amp;exposure=1.2&amp;shadow-intensity=0.5" title="Oak chair" loading="lazy" referrerpolicy="strict-origin" allow="fullscreen; xr-spatial-tracking" style="display:block;width:100%;aspect-ratio:1.33;border:0;background:#dfe2e7"></iframe>',
  ],
  [
    {
      background: '#f4f1ec',
      theme: 'dark',
      loading: 'eager',
      poster: false,
      controls: 'zoom fullscreen',
      interaction: 'orbit',
      scrollZoom: true,
      lang: 'de',
      title: 'Oak chair, "rotatable" <3D> view',
    },
    '<iframe src="https://cloche.example/embed/iframe/v1/8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55?token=CLOCHE_EMBED_TOKEN&amp;background=%23f4f1ec&amp;theme=dark&amp;loading=eager&amp;poster=false&amp;controls=zoom%20fullscreen&amp;interaction=orbit&amp;scroll-zoom=true&amp;lang=de&amp;title=Oak%20chair%2C%20%22rotatable%22%20%3C3D%3E%20view" title="Oak chair, &quot;rotatable&quot; &lt;3D&gt; view" loading="eager" referrerpolicy="strict-origin" allow="fullscreen; xr-spatial-tracking" style="display:block;width:100%;aspect-ratio:1.33;border:0;background:#f4f1ec"></iframe>',
  ],
  [
    { background: 'transparent', theme: 'auto', loading: 'click' },
    '<iframe src="https://cloche.example/embed/iframe/v1/8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55?token=CLOCHE_EMBED_TOKEN&amp;background=transparent&amp;theme=auto&amp;loading=click" title="Oak chair" loading="lazy" referrerpolicy="strict-origin" allow="fullscreen; xr-spatial-tracking" style="display:block;width:100%;aspect-ratio:1.33;border:0;background:transparent;color-scheme:light"></iframe>',
  ],
];

/** The parameters of Sketchfab's embeds, which page authors copy. */
const GOLDEN_QUERIES: [query: string, options: ViewerOptions][] = [
  [
    'autostart=1&autospin=0.2&transparent=1&ui_controls=0&ui_infos=0&preload=1&scrollwheel=0',
    {
      autoRotate: true,
      rotationPerSecond: '6deg',
      background: 'transparent',
      loading: 'eager',
      controls: 'none',
      scrollZoom: false,
    },
  ],
  [
    'background=f4f1ec&auto-rotate&theme=dark&theme=light',
    {
      autoRotate: true,
      background: '#f4f1ec',
      theme: 'light',
    },
  ],
];

const DESIGN: Pick<DesignRecord, 'id' | 'name' | 'revision' | 'viewer'> = {
  id: '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55',
  name: 'Oak chair',
  revision: undefined,
  viewer: {},
};

test('the bytes of a snippet never change', () => {
  for (const [options, html] of GOLDEN) {
    assert.equal(createSnippet(DESIGN, 'https://cloche.example', options).html, html);
  }
});

test('the golden snippets have every option', () => {
  const names = GOLDEN.flatMap(([options]) => Object.keys(options ?? {}));
  assert.deepEqual(
    VIEWER_OPTION_NAMES.filter((name) => !names.includes(name)),
    [],
  );
});

test('200: the URL of each golden snippet shows the design, with its options and no warning', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { token } = await issueToken(service);
  const readConfig = async (url: string): Promise<ViewerConfig> => {
    const headers = { ...HOST_HEADER, 'sec-fetch-dest': 'iframe', referer: `${SHOP_ORIGIN}/` };
    const { statusCode, body } = await service.app.inject({ url, headers });
    assert.equal(statusCode, 200, url);
    return JSON.parse(/id="viewer-config">(.*?)<\/script>/.exec(body)?.[1] ?? '');
  };
  for (const [options, html] of GOLDEN) {
    const src = /src="([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const url = new URL(src.replace(DESIGN.id, design.id).replace('CLOCHE_EMBED_TOKEN', token));
    const config = await readConfig(url.pathname + url.search);
    assert.deepEqual(config.options ?? {}, options ?? {});
    assert.equal(config.optionWarnings, undefined);
  }
  for (const [query, options] of GOLDEN_QUERIES) {
    const config = await readConfig(`/embed/iframe/v1/${design.id}?token=${token}&${query}`);
    assert.deepEqual(config.options, options);
    assert.equal(config.optionWarnings, undefined);
  }
});

const placeholderCount = (text: string) => text.split('CLOCHE_EMBED_TOKEN').length - 1;

test('the placeholder occurs once, also if the name of the design contains it', () => {
  const design = { ...DESIGN, name: 'CLOCHE_EMBED_TOKEN' };
  assert.equal(placeholderCount(createSnippet(design, 'https://cloche.example').html), 1);
});

test('the placeholder occurs once, also if an option contains it', () => {
  const title = 'CLOCHE_EMBED_TOKEN & "CLOCHE_EMBED_TOKEN"';
  const { html, src } = createSnippet(DESIGN, 'https://cloche.example', { title });
  assert.equal(placeholderCount(html), 1);
  assert.equal(placeholderCount(src), 1);
  assert.equal(new URL(src).searchParams.get('title'), title);
});

test('the options of a design are in the attributes, and not in the URL', () => {
  const viewer = { title: 'A chair', loading: 'eager', background: '#102030' } as const;
  const { html, src } = createSnippet({ ...DESIGN, viewer }, 'https://cloche.example', {
    background: 'transparent',
  });
  assert.match(src, /\?token=CLOCHE_EMBED_TOKEN&background=transparent$/);
  assert.match(
    html,
    / title="A chair" loading="eager" .*;background:transparent;color-scheme:light"/,
  );
});

const invalidRows: [options: unknown, field: string, detail: RegExp][] = [
  [{ cameraOrbitt: 'auto' }, 'options.cameraOrbitt', /did you mean "cameraOrbit"\?/],
  [{ 'camera-orbit': 'auto' }, 'options.camera-orbit', /did you mean "cameraOrbit"\?/],
  [{ autospin: 1 }, 'options.autospin', /did you mean "autoRotate"\?/],
  [{ transparent: 1 }, 'options.transparent', /did you mean "background"\?/],
  [{ ui_infos: 0 }, 'options.ui_infos', /its fields are cameraOrbit, /],
  [{ xyz: 1 }, 'options.xyz', /its fields are cameraOrbit, /],
  [{ constructor: 1 }, 'options.constructor', /is not a field/],
  [
    { theme: 'drak' },
    'options.theme',
    /"light", "dark", "auto", not "drak" \(did you mean "dark"\?\)/,
  ],
  [{ controls: 'zoom hlep' }, 'options.controls', /did you mean "help"\?/],
  [{ cameraOrbit: '30 75 105' }, 'options.cameraOrbit', /such as "30deg 75deg 105%"/],
  [{ fieldOfView: '500deg' }, 'options.fieldOfView', /from 1 to 150 degrees/],
  [{ exposure: 9 }, 'options.exposure', /must be <= 8\. Example: 1\.2/],
  [{ exposure: '1' }, 'options.exposure', /must be a number, not "1"/],
  [{ autoRotate: 'true' }, 'options.autoRotate', /must be a boolean, not "true"/],
  [{ background: 'red' }, 'options.background', /must be a color, such as "#f4f1ec"/],
  [{ background: '#fff;x:url(//evil.example)' }, 'options.background', /must be a color/],
  [{ title: '' }, 'options.title', /must be text of 1 to 200 characters/],
  [{ title: 'a\u202eb' }, 'options.title', /must be text/],
  [{ title: 'x'.repeat(100_000) }, 'options.title', /must NOT have more than/],
  [{ lang: 'xx' }, 'options.lang', /must be one of "en"/],
  [{ token: 'cloche_pk_x' }, 'options.token', /is not a field/],
  [[], 'options', /must be an object, not an array/],
  [null, 'options', /must be an object, not null/],
  ['theme=dark', 'options', /must be an object/],
];

test('400: invalid options, with what was wrong and what would be right', async (t) => {
  const service = await openTestServer(t);
  const { uri } = await uploadTestDesign(service);
  for (const [options, field, detail] of invalidRows) {
    const response = await sendRequest(service, 'POST', '/embed/iframe/v1', { uri, options });
    assert.equal(response.statusCode, 400, JSON.stringify(options).slice(0, 100));
    assert.equal(response.json().code, 'request.invalid');
    assert.equal(response.json().field, field);
    assert.match(response.json().detail, detail);
  }
});

test('200: options are in the HTML, in normal form; a public token does not see the title of the design', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const viewer = { title: 'Secret', loading: 'eager' };
  await sendRequest(service, 'PATCH', `/v1/designs/${design.id}`, { viewer });
  const body = { uri: design.uri, options: { theme: 'dark', cameraOrbit: ' 30DEG  auto auto ' } };
  const { token } = await issueToken(service);
  const request = (client: string, accept: string) =>
    sendRequest({ app: service.app, token: client }, 'POST', '/embed/iframe/v1', body, { accept });
  const { html, src } = (await request(token, 'application/json')).json();
  assert.equal(
    src,
    `http://cloche.test/embed/iframe/v1/${design.id}?token=CLOCHE_EMBED_TOKEN&camera-orbit=30deg%20auto%20auto&theme=dark`,
  );
  assert.match(html, / title="3D view" loading="eager" /);
  assert.doesNotMatch(html, /Secret/);
  assert.match(
    (await request(service.token, 'text/html')).body,
    / title="Secret" loading="eager" /,
  );
});

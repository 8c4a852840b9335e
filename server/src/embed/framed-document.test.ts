import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it, test } from 'node:test';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import type { ViewerOptions } from '@cloche/contract/viewer-options';
import { LANGUAGES } from '@cloche/contract/viewer-options';
import type { CdnSettings } from '../http/cdn-settings.ts';
import { GrantSigner } from './asset-grant.ts';
import { AssetUrls } from './asset-urls.ts';
import type { AuthorizedView } from './authorize-view.ts';
import { FramedDocumentRenderer } from './framed-document.ts';
import type { PosterVisibility } from './poster-visibility.ts';
import type { ViewerBuild } from './viewer-build.ts';

const viewerBuild = {
  scriptHashes: [],
  styleHashes: [],
  assets: new Map(),
};
const NO_OPTIONS = { options: {}, warnings: [], language: 'en' as const };
const now = new Date('2026-11-21T12:00:00Z');
const blob = (letter: string) => letter.repeat(64);

const blobs = { read: async (ref: string) => Buffer.from(`blob ${ref[0]}`) };
const createLanguages = (template: string) =>
  Object.fromEntries(
    LANGUAGES.map((language) => [language, { template, messages: {} }]),
  ) as ViewerBuild['languages'];
const createRenderer = (template: string, cdn?: CdnSettings, programVersion = '1.0.0') =>
  new FramedDocumentRenderer({
    viewer: { ...viewerBuild, languages: createLanguages(template) },
    grantSigner: new GrantSigner(Buffer.alloc(32)),
    blobs,
    assetUrls: new AssetUrls('https://cloche.example', Buffer.alloc(32), cdn),
    programVersion,
  });

async function renderConfig(description: string, artifacts: object[], revisionFields: object = {}) {
  const view = {
    grantee: { id: 't' },
    origins: ['https://shop.example'],
    design: { id: 'd', name: 'Chair', description },
    revision: { id: 'r', stats: {}, artifacts, ...revisionFields },
  };
  const renderer = createRenderer('{{viewerConfig}}');
  const { body } = await renderer.render(view as never as AuthorizedView, NO_OPTIONS, now);
  const { grant: _, allowedOrigins: __, ...viewerConfig } = JSON.parse(`${body.identity}`);
  return viewerConfig;
}

const model = { kind: 'model', blob: blob('a'), sizeBytes: 1000 };

test('a design with only a model has no other fields', async () => {
  assert.deepEqual(await renderConfig('', [model]), {
    design: { id: 'd', name: 'Chair' },
    model: { url: `/embed/assets/${blob('a')}.glb`, bytes: 1000 },
  });
});

test('the config has preview, posters from small to large, background and description', async () => {
  const artifacts = [
    { kind: 'poster', blob: blob('d'), sizeBytes: 30, width: 960, height: 720 },
    { kind: 'poster-inline', blob: blob('e'), sizeBytes: 3, width: 240, height: 180 },
    { kind: 'poster-small', blob: blob('c'), sizeBytes: 10, width: 480, height: 360 },
    model,
    { kind: 'preview', blob: blob('b'), sizeBytes: 90 },
  ];
  // Revisions that were processed by an older version have a ThumbHash.
  const posterPlaceholder = { background: '#dfe2e7', thumbHash: 'khiBBAA2CHiHJ6h4' };
  const viewerConfig = await renderConfig('Oak </script>', artifacts, { posterPlaceholder });
  assert.deepEqual(viewerConfig.preview, { url: `/embed/assets/${blob('b')}.glb`, bytes: 90 });
  assert.deepEqual(viewerConfig.posters, [
    { url: `/embed/assets/${blob('c')}.webp`, width: 480, height: 360 },
    { url: `/embed/assets/${blob('d')}.webp`, width: 960, height: 720 },
  ]);
  assert.deepEqual(viewerConfig.posterPlaceholder, { background: '#dfe2e7' });
  assert.equal(viewerConfig.design.description, 'Oak </script>');
});

const IMAGE = `width="240" height="180" src="data:image/webp;base64,${btoa('blob e')}">`;
const inlineRows: [posterVisibility: PosterVisibility, html: string][] = [
  ['at-once', `<img id="inline-poster" alt="A &quot;chair&quot;" ${IMAGE}`],
  [
    'without-scripts',
    `<img id="inline-poster" class="unchecked" alt="A &quot;chair&quot;" ${IMAGE}`,
  ],
  [
    'after-check',
    `<template id="unchecked-poster"><img id="inline-poster" alt="A &quot;chair&quot;" ${IMAGE}</template>`,
  ],
];
test('the inline poster is in the document, as visible as the request allows', async () => {
  const renderer = createRenderer('{{inlinePoster}}');
  const inline = { kind: 'poster-inline', blob: blob('e'), sizeBytes: 3, width: 240, height: 180 };
  const view = {
    grantee: { id: 't' },
    origins: ['https://shop.example'],
    design: { id: 'd', name: 'A "chair"', description: '' },
    revision: { id: 'r', stats: {}, artifacts: [model, inline] },
  };
  // One renderer: the cache must not mix them up.
  for (const [posterVisibility, html] of inlineRows) {
    const request = { ...view, posterVisibility } as never as AuthorizedView;
    const { body } = await renderer.render(request, NO_OPTIONS, now);
    assert.equal(`${body.identity}`, html);
    assert.equal(
      (await renderer.render(request, NO_OPTIONS, now)).body,
      body,
      'compressed once, and kept',
    );
    assert.equal(`${(await renderer.renderPreview(request, NO_OPTIONS, now)).body.identity}`, html);
  }
});

test('a revision without an inline poster has none', async () => {
  const renderer = createRenderer('<{{inlinePoster}}>');
  const view = {
    grantee: { id: 't' },
    origins: [],
    design: { id: 'd', name: 'Chair', description: '' },
    revision: { id: 'r', stats: {}, artifacts: [model] },
    posterVisibility: 'at-once',
  };
  const { body } = await renderer.render(view as never as AuthorizedView, NO_OPTIONS, now);
  assert.equal(`${body.identity}`, '<>');
});

test('a document is another one after its poster was rendered again, or with another configuration', async () => {
  const poster = { kind: 'poster', blob: blob('d'), sizeBytes: 30, width: 960, height: 720 };
  const createView = (artifacts: object[]) =>
    ({
      grantee: { id: 't' },
      origins: ['https://shop.example'],
      design: { id: 'd', name: 'Chair', description: '' },
      revision: { id: 'r', stats: {}, artifacts },
      isCacheable: true,
    }) as never as AuthorizedView;
  const view = createView([model, poster]);
  const renderer = createRenderer('{{viewerConfig}}');
  const { body } = await renderer.render(view, NO_OPTIONS, now);
  const { documentVersion: version, model: shown } = JSON.parse(`${body.identity}`) as ViewerConfig;
  assert.ok(version && shown);
  assert.ok(renderer.renewGrant(createView([poster, model]), NO_OPTIONS, version, now));
  const changed = createView([model, { ...poster, blob: blob('f') }]);
  assert.equal(renderer.renewGrant(changed, NO_OPTIONS, version, now), undefined);
  assert.notEqual((await renderer.render(changed, NO_OPTIONS, now)).body, body);
  const others = [
    createRenderer('{{viewerConfig}} '),
    createRenderer('{{viewerConfig}}', undefined, '1.0.1'),
    createRenderer('{{viewerConfig}}', { origin: 'https://cdn.example', ticketMs: 3_600_000 }),
    createRenderer('{{viewerConfig}}', { origin: 'https://cloche.example', ticketMs: 3_600_000 }),
  ];
  for (const other of others)
    assert.equal(other.renewGrant(view, NO_OPTIONS, version, now), undefined);
});

describe('options of a document', () => {
  const poster = { kind: 'poster', blob: blob('d'), sizeBytes: 30, width: 960, height: 720 };
  const inline = { kind: 'poster-inline', blob: blob('e'), sizeBytes: 3, width: 240, height: 180 };
  const createView = (viewer: ViewerOptions) =>
    ({
      grantee: { id: 't' },
      origins: ['https://shop.example'],
      design: { id: 'd', name: 'Chair', description: '', viewer },
      revision: {
        id: 'r',
        stats: {},
        artifacts: [model, poster, inline],
        posterPlaceholder: { background: '#dfe2e7' },
      },
      posterVisibility: 'at-once',
    }) as never as AuthorizedView;
  const TEMPLATE = '{{rootAttributes}}{{backgroundStyle}}{{inlinePoster}}{{viewerConfig}}';
  const request = (options: ViewerOptions) => ({ ...NO_OPTIONS, options });

  const posterRows: [options: ViewerOptions, shows: 'poster' | 'placeholder' | 'both' | 'none'][] =
    [
      [{}, 'both'],
      [{ autoRotate: true, controls: 'none', title: 'A', lang: 'de', theme: 'light' }, 'both'],
      [{ exposure: 1, shadowIntensity: 1, cameraOrbit: 'auto auto auto' }, 'both'],
      [{ background: '#ffffff' }, 'poster'],
      [{ background: 'transparent' }, 'poster'],
      [{ theme: 'dark' }, 'poster'],
      [{ theme: 'auto' }, 'poster'],
      [{ poster: false }, 'placeholder'],
      [{ cameraOrbit: '30deg auto auto' }, 'placeholder'],
      [{ cameraTarget: '0m 1m 0m' }, 'placeholder'],
      [{ fieldOfView: '20deg' }, 'placeholder'],
      [{ minCameraOrbit: 'auto auto 200%' }, 'placeholder'],
      [{ maxCameraOrbit: 'auto 20deg auto' }, 'placeholder'],
      [{ variantName: 'Oak' }, 'placeholder'],
      [{ exposure: 2 }, 'placeholder'],
      [{ shadowIntensity: 0 }, 'placeholder'],
      [{ exposure: 2, theme: 'dark' }, 'none'],
    ];
  for (const [options, shows] of posterRows) {
    it(`${JSON.stringify(options)} shows ${shows}, in the URL and as default of the design`, async () => {
      const documents = [
        await createRenderer(TEMPLATE).render(createView({}), request(options), now),
        await createRenderer(TEMPLATE).render(createView(options), NO_OPTIONS, now),
      ];
      for (const { body } of documents) {
        const html = `${body.identity}`;
        const hasPoster = shows === 'poster' || shows === 'both';
        assert.equal(html.includes('id="inline-poster"'), hasPoster);
        assert.equal(html.includes('"posters"'), hasPoster);
        const hasPlaceholder = shows === 'placeholder' || shows === 'both';
        assert.equal(html.includes('"posterPlaceholder"'), hasPlaceholder);
      }
    });
  }

  const sectionRows: [options: ViewerOptions, sections: string, attributes: string][] = [
    [{}, '', ''],
    [{ theme: 'light', loading: 'eager' }, '', ''],
    [{ theme: 'dark' }, 'T', ' data-theme="dark"'],
    [{ theme: 'auto', loading: 'click' }, 'TC', ' data-theme="auto"'],
    [{ background: '#ffffff' }, 'T', ' data-theme="light" data-own-background="#ffffff"'],
    [{ loading: 'click' }, 'C', ''],
  ];
  for (const [options, sections, attributes] of sectionRows) {
    it(`${JSON.stringify(options)} adds only the parts of the template that it needs`, async () => {
      const template = '{{rootAttributes}}|{{#themed}}T{{/themed}}{{#click}}C{{/click}}';
      const { body } = await createRenderer(template).render(createView({}), request(options), now);
      assert.equal(`${body.identity}`, `${attributes}|${sections}`);
    });
  }

  it('a URL with other options does not remove documents without options from the cache', async () => {
    const renderer = createRenderer(TEMPLATE);
    const view = createView({});
    const { body } = await renderer.render(view, NO_OPTIONS, now);
    for (let index = 0; index < 600; index += 1)
      await renderer.render(view, request({ autoRotateDelay: index }), now);
    assert.equal((await renderer.render(view, NO_OPTIONS, now)).body, body);
  });

  it('a URL that is used once is compressed fast, and one that is used often is compressed well', async () => {
    const renderer = createRenderer(`${TEMPLATE}${await readFile(import.meta.filename, 'utf8')}`);
    const sizes: number[] = [];
    for (let count = 0; count < 6; count += 1) {
      const { body } = await renderer.render(createView({}), request({ theme: 'dark' }), now);
      sizes.push(body.br.length);
    }
    assert.equal(new Set(sizes.slice(0, 4)).size, 1);
    assert.ok((sizes[4] ?? 0) < (sizes[0] ?? 0));
    assert.equal(sizes[5], sizes[4]);
  });
});

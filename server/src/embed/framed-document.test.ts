import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GrantSigner } from './asset-grant.ts';
import type { AuthorizedView } from './authorize-view.ts';
import { FramedDocumentRenderer } from './framed-document.ts';

const viewerBuild = {
  template: '{{viewerConfig}}',
  scriptHashes: [],
  styleHashes: [],
  assets: new Map(),
  messages: {},
};
const now = new Date('2026-11-21T12:00:00Z');
const blob = (letter: string) => letter.repeat(64);

function renderConfig(description: string, artifacts: object[], revisionFields: object = {}) {
  const renderer = new FramedDocumentRenderer(viewerBuild, new GrantSigner(Buffer.alloc(32)));
  const view = {
    token: { id: 't' },
    origins: ['https://shop.example'],
    design: { id: 'd', name: 'Chair', description },
    revision: { id: 'r', stats: {}, artifacts, ...revisionFields },
  };
  const { html } = renderer.render(view as never as AuthorizedView, now);
  const { grant: _, allowedOrigins: __, ...viewerConfig } = JSON.parse(html);
  return viewerConfig;
}

const model = { kind: 'model', blob: blob('a'), sizeBytes: 1000 };

test('a design with only a model has no other fields', () => {
  assert.deepEqual(renderConfig('', [model]), {
    design: { id: 'd', name: 'Chair' },
    model: { url: `/embed/assets/${blob('a')}.glb`, bytes: 1000 },
  });
});

test('the config has preview, posters from small to large, placeholder and description', () => {
  const artifacts = [
    { kind: 'poster', blob: blob('d'), sizeBytes: 30, width: 960, height: 720 },
    { kind: 'poster-small', blob: blob('c'), sizeBytes: 10, width: 480, height: 360 },
    model,
    { kind: 'preview', blob: blob('b'), sizeBytes: 90 },
  ];
  const posterPlaceholder = {
    background: '#dfe2e7',
    thumbHash: 'khiBBAA2CHiHJ6h4dnAI+Hh9gHaIB6h4Bg==',
  };
  const viewerConfig = renderConfig('Oak </script>', artifacts, { posterPlaceholder });
  assert.deepEqual(viewerConfig.preview, { url: `/embed/assets/${blob('b')}.glb`, bytes: 90 });
  assert.deepEqual(viewerConfig.posters, [
    { url: `/embed/assets/${blob('c')}.webp`, width: 480, height: 360 },
    { url: `/embed/assets/${blob('d')}.webp`, width: 960, height: 720 },
  ]);
  assert.deepEqual(viewerConfig.posterPlaceholder, posterPlaceholder);
  assert.equal(viewerConfig.design.description, 'Oak </script>');
});

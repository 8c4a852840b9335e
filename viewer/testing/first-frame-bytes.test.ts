import assert from 'node:assert/strict';
import { createHash, hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { LANGUAGES } from '@cloche/contract/viewer-options';
import { waitUntil } from '../../scripts/wait-until.ts';
import { type InlinePoster, parseViewerTemplate } from '../../server/src/embed/viewer-template.ts';
import { CompressedText } from '../../server/src/http/compressed-text.ts';

/**
 * Limit of the framed document as it is sent, without a poster. The visitor waits for all of it before anything is painted. The
 * build checks the scripts.
 */
const MAX_BYTES = 7700;
/** Texts in other languages are longer, or their letters have more bytes. */
const MAX_TRANSLATED_BYTES = 8100;

/** What a server sends before it waits for the first acknowledgement: ten packets of 1,460 bytes. */
const FIRST_PACKETS_BYTES = 14_600;
/** About 2,600 for the handshake of TLS 1.3 with a chain of two ECDSA certificates, and 1,600 for records and headers. */
const TLS_AND_HEADER_BYTES = 4200;
/** By which the first visitors get more, until the document has been compressed as well as possible. */
const MAX_FIRST_VISITOR_BYTES = 700;
/** As large as the pipeline makes it. WebP does not become smaller by compression. */
const INLINE_POSTER: InlinePoster = {
  // Always the same: random ones differ by some bytes after compression.
  bytes: createHash('shake256', { outputLength: 2300 }).update('poster').digest(),
  width: 240,
  height: 180,
  visibility: 'at-once',
};

/** Hashes do not become smaller by compression either. */
const toUrl = (name: string) => `/embed/assets/${hash('sha256', name)}.${name.split('.').at(-1)}`;
/** As for a design with posters and no options. */
const config: ViewerConfig = {
  design: { id: '41940652-d33c-42b1-ba69-7938b03be23a', name: 'Oak chair' },
  model: {
    url: toUrl('model.glb'),
    bytes: 3500,
    bounds: { min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.5] },
  },
  posters: [
    { url: toUrl('small.webp'), width: 640, height: 480 },
    { url: toUrl('large.webp'), width: 1280, height: 960 },
  ],
  posterPlaceholder: { background: '#dfe2e7' },
  grant:
    'tok_qy1adzv8CAwOgfYF.41940652-d33c-42b1-ba69-7938b03be23a.7d3b0f52-5c1e-4a0b-9a57-0f6c2de1b894.mpgl3w80.0.https://shop.example.QIr2pmgmlCvGN-9MM5-h_z',
  allowedOrigins: ['https://shop.example'],
  documentVersion: 'WrZBVXNfD5P',
};
/** As for a model with a preview, three geometries and textures of all sizes. */
const largeConfig: ViewerConfig = {
  ...config,
  preview: { url: toUrl('preview.glb'), bytes: 48_213 },
  levels: {
    geometries: [37_498, 149_871, 998_203].map((triangles) => ({
      triangles,
      ...(triangles < 998_203 && { maxSize: Math.round(triangles / 97) }),
      url: toUrl(`${triangles}.glb`),
      bytes: triangles * 3,
    })),
    textures: [384, 768, 1024, 2048, 4096].map((size) => ({
      url: toUrl(`${size}.bin`),
      size,
      ...(size > 2048 && { pixels: 3 * size ** 2 }),
      bytes: size ** 2 + 77,
    })),
    uvPerMeter: 0.8172,
  },
};

describe('the bytes of the framed document', () => {
  for (const language of LANGUAGES) {
    it(`${language}: are few`, async () => {
      const { byteLength } = new CompressedText((await readTemplate(language))(config)).br;
      const limit = language === 'en' ? MAX_BYTES : MAX_TRANSLATED_BYTES;
      assert.ok(byteLength <= limit, `${byteLength} bytes, above the limit of ${limit}`);
    });

    it(`${language}: fit into the first ten packets with the largest poster inside`, async () => {
      const html = (await readTemplate(language))(largeConfig, INLINE_POSTER);
      assert.ok(html.includes(INLINE_POSTER.bytes.toString('base64')));
      const text = new CompressedText(html);
      const limit = FIRST_PACKETS_BYTES - TLS_AND_HEADER_BYTES;
      const first = text.br.byteLength;
      assert.ok(first <= limit + MAX_FIRST_VISITOR_BYTES, `${first} bytes for the first visitor`);
      // From the second visitor on.
      await waitUntil(
        () => `${text.br.byteLength} bytes, above the limit of ${limit}`,
        () => text.br.byteLength <= limit,
        { timeoutMs: 10_000 },
      );
    });
  }
});

async function readTemplate(language: string): Promise<ReturnType<typeof parseViewerTemplate>> {
  const file = language === 'en' ? 'framed-document.html' : `framed-document.${language}.html`;
  return parseViewerTemplate(await readFile(join(import.meta.dirname, '../dist', file), 'utf8'));
}

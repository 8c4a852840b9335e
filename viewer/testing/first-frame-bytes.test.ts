import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { LANGUAGES } from '@cloche/contract/viewer-options';
import { parseViewerTemplate } from '../../server/src/embed/viewer-template.ts';
import { CompressedText } from '../../server/src/http/compressed-text.ts';

/**
 * Limit of the framed document as it is sent, without a poster. The visitor waits for all of it before anything is painted. The
 * build checks the scripts.
 */
const MAX_BYTES = 7000;
/** Texts in other languages are longer, or their letters have more bytes. */
const MAX_TRANSLATED_BYTES = 7400;

const hex = (digit: string) => digit.repeat(64);
/** As for a design with posters and no options. */
const config: ViewerConfig = {
  design: { id: '41940652-d33c-42b1-ba69-7938b03be23a', name: 'Oak chair' },
  model: {
    url: `/embed/assets/${hex('a')}.glb`,
    bytes: 3500,
    bounds: { min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.5] },
  },
  posters: [
    { url: `/embed/assets/${hex('b')}.webp`, width: 640, height: 480 },
    { url: `/embed/assets/${hex('c')}.webp`, width: 1280, height: 960 },
  ],
  posterPlaceholder: { background: '#dfe2e7' },
  grant: 'tok_qy1adzv8CAwOgfYF.41940652-d33c-42b1-ba69-7938b03be23a.QIr2pmgmlCvGN-9MM5-h_zHbpORxDn',
  allowedOrigins: ['https://shop.example'],
};

describe('the bytes of the framed document', () => {
  for (const language of LANGUAGES) {
    it(`${language}: are few`, async () => {
      const file = language === 'en' ? 'framed-document.html' : `framed-document.${language}.html`;
      const template = await readFile(join(import.meta.dirname, '../dist', file), 'utf8');
      const { byteLength } = new CompressedText(parseViewerTemplate(template)(config)).br;
      const limit = language === 'en' ? MAX_BYTES : MAX_TRANSLATED_BYTES;
      assert.ok(byteLength <= limit, `${byteLength} bytes, above the limit of ${limit}`);
    });
  }
});

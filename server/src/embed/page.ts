import type { Framed } from '@cloche/contract/framed';
import { escapeHtml, jsonForHtml } from '../http/html.ts';
import { frameAncestors } from './gate.ts';
import type { ViewerFiles } from './viewer-files.ts';

/** Writes framed documents and their headers, from the built viewer. */
export class FramedPage {
  readonly #parts: readonly string[];
  readonly #policy: string;

  constructor({ page, scriptHashes, styleHashes }: ViewerFiles) {
    this.#parts = page.split(/\{\{(title|framed)\}\}/);
    this.#policy = [
      "default-src 'none'",
      `script-src 'self' 'wasm-unsafe-eval' ${scriptHashes.join(' ')}`.trim(),
      "worker-src blob: 'self'",
      // Without blob: here, textures inside a GLB come out white, and no error says so.
      "connect-src 'self' blob:",
      "img-src 'self' blob: data:",
      `style-src 'self' ${styleHashes.join(' ')}`.trim(),
      "base-uri 'none'",
      "form-action 'none'",
    ].join('; ');
  }

  /** The document: the template with its two slots filled. The name is hostile text. */
  write(framed: Framed): string {
    const fill: Record<string, string> = {
      title: escapeHtml(framed.design.name),
      framed: jsonForHtml(framed),
    };
    // Odd parts are the names of slots.
    return this.#parts.map((part, i) => (i % 2 === 0 ? part : fill[part])).join('');
  }

  headers(origins: readonly string[]): Record<string, string> {
    return {
      ...FRAMED_HEADERS,
      'content-security-policy': `${frameAncestors(origins)}; ${this.#policy}`,
    };
  }
}

/** For every answer in a frame. Pages that are cross-origin isolated need both CORP and COEP. */
export const FRAMED_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'origin-agent-cluster': '?1',
  'permissions-policy':
    'accelerometer=(), autoplay=(), camera=(), display-capture=(), encrypted-media=(), geolocation=(), gyroscope=(), hid=(), idle-detection=(), magnetometer=(), microphone=(), midi=(), payment=(), screen-wake-lock=(), serial=(), usb=()',
  'x-robots-tag': 'noindex',
};

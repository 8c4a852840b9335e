import type { Framed } from '@cloche/contract/framed';
import { escapeHtml, jsonForHtml } from '../http/html.ts';
import type { ViewerFiles } from './viewer-files.ts';

/** The viewer's page, to be filled for each design. */
export type Template = {
  /** The page with its slots filled. The design's name is hostile text. */
  fill(framed: Framed): string;
  /** What the page may load, for its `content-security-policy`. */
  policy: string;
};

/** Reads the template of the built viewer. */
export function readTemplate({ page, scriptHashes, styleHashes }: ViewerFiles): Template {
  const parts = page.split(/\{\{(title|framed)\}\}/);
  const policy = [
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
  const fill = (framed: Framed) => {
    const slots: Record<string, string> = {
      title: escapeHtml(framed.design.name),
      framed: jsonForHtml(framed),
    };
    // Odd parts are the names of slots.
    return parts.map((part, i) => (i % 2 === 0 ? part : slots[part])).join('');
  };
  return { fill, policy };
}

import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { escapeHtml, toScriptSafeJson } from '../http/escape-html.ts';
import type { ViewerBuild } from './viewer-build.ts';

/** The viewer's page, to be filled for each design. */
export type ViewerTemplate = {
  /** The page with its slots filled. The design's name is hostile text. */
  render(framed: ViewerConfig): string;
  /** What the page may load, for its `content-security-policy`. */
  contentSecurityPolicy: string;
};

/** Reads the template of the built viewer. */
export function parseViewerTemplate({
  template,
  scriptHashes,
  styleHashes,
}: ViewerBuild): ViewerTemplate {
  const parts = template.split(/\{\{(title|viewerConfig)\}\}/);
  const contentSecurityPolicy = [
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
  const render = (framed: ViewerConfig) => {
    const slots: Record<string, string> = {
      title: escapeHtml(framed.design.name),
      viewerConfig: toScriptSafeJson(framed),
    };
    // Odd parts are the names of slots.
    return parts.map((part, i) => (i % 2 === 0 ? part : slots[part])).join('');
  };
  return { render, contentSecurityPolicy };
}

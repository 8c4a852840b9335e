import { createHash } from 'node:crypto';
import { type BundledScripts, PUBLIC_PATH } from './scripts.ts';

type PageParts = {
  template: string;
  style: string;
  boot: string;
  scripts: Pick<BundledScripts, 'entry' | 'staticImports'>;
};

/** Puts the document's template together. The slots that are left are the server's. */
export function composePage({ template, style, boot, scripts }: PageParts): string {
  const links = scripts.staticImports.map(
    (file) => `<link rel="modulepreload" href="${PUBLIC_PATH}${file}">`,
  );
  const parts: Record<string, string> = {
    links: links.join('\n'),
    script: `<script type="module" src="${PUBLIC_PATH}${scripts.entry}"></script>`,
    viewerConfig: '<script type="application/json" id="viewer-config">{{viewerConfig}}</script>',
    style: `<style>${style}</style>`,
    boot: `<script>${boot}</script>`,
  };
  return template.replace(/\[\[(\w+)\]\]/g, (_, name: string) => parts[name] ?? '');
}

/** How a policy names an inline script or style: by the hash of its exact text. */
export function toCspHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

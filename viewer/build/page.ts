import { createHash } from 'node:crypto';
import { PUBLIC_PATH, type Scripts } from './scripts.ts';

type Parts = {
  template: string;
  style: string;
  boot: string;
  scripts: Pick<Scripts, 'entry' | 'imported'>;
};

/** Puts the document's template together. The slots that are left are the server's. */
export function composePage({ template, style, boot, scripts }: Parts): string {
  const links = scripts.imported.map(
    (file) => `<link rel="modulepreload" href="${PUBLIC_PATH}${file}">`,
  );
  const parts: Record<string, string> = {
    links: links.join('\n'),
    script: `<script type="module" src="${PUBLIC_PATH}${scripts.entry}"></script>`,
    framed: '<script type="application/json" id="framed">{{framed}}</script>',
    style: `<style>${style}</style>`,
    boot: `<script>${boot}</script>`,
  };
  return template.replace(/\[\[(\w+)\]\]/g, (_, name: string) => parts[name] ?? '');
}

/** How a policy names an inline script or style: by the hash of its exact text. */
export function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

import { createHash } from 'node:crypto';
import { toTextDirection } from '@cloche/contract/language';
import type { Language, ViewerOptions } from '@cloche/contract/viewer-options';
import type { DesignRecord } from '../designs/design.ts';
import { createFrameBackground, createIframeHtml } from './iframe-html.ts';

const STYLE = `
:root{color-scheme:light dark}
*{box-sizing:border-box}
body{margin:0;height:100vh;height:100dvh;display:grid;grid-template-rows:auto 1fr;font:1rem/1.5 system-ui,sans-serif;background:#f4f4f2;color:#23262b}
header{display:flex;min-width:0}
h1{font-size:1.0625rem;line-height:1.35;margin:0;overflow-wrap:anywhere}
p{margin:0;font-size:.875rem;color:#5b6068}
main{min-height:0}
iframe{display:block;width:100%;height:100%;border:0}
@media (prefers-color-scheme:dark){body{background:#1a1c1f;color:#ecedee}p{color:#a3a8b0}}
`.trim();

/** Headers and HTML of a page of the service that frames one design. The page has no script. */
export type FramePage = { headers: Record<string, string>; html: string };

export type FramePageOptions = {
  design: Pick<DesignRecord, 'name' | 'revision'>;
  /** The URL of the framed document. */
  src: string;
  /** The options that the framed document will apply. */
  options: ViewerOptions;
  language: Language;
  /** HTML: the elements of the head, and the content of the header above the design. */
  head: string;
  header: string;
  /** CSS of the header. */
  style: string;
  /** The attribute `prefix` of the root element. */
  prefix?: string;
  createHeaders: (styleHash: string) => Record<string, string>;
};

/** Creates a page with a header and one design, which fills the rest of the window. */
export function createFramePage(options: FramePageOptions): FramePage {
  const { design, language, prefix } = options;
  // The background is in the style sheet, because the policy of the page forbids the attribute `style`.
  const background = createFrameBackground({ ...design, options: options.options });
  const style = `${STYLE}\n${options.style}\niframe{${background}}`;
  const iframe = createIframeHtml({
    name: design.name,
    src: options.src,
    // It is always in view.
    options: { ...options.options, loading: 'eager' },
  });
  const hash = createHash('sha256').update(style).digest('base64');
  return {
    headers: options.createHeaders(`'sha256-${hash}'`),
    html: `<!doctype html>
<html lang="${language}" dir="${toTextDirection(language)}"${prefix === undefined ? '' : ` prefix="${prefix}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<link rel="icon" href="data:,">
${options.head}
<style>${style}</style>
</head>
<body>
<header>
${options.header}
</header>
<main>
${iframe}
</main>
</body>
</html>
`,
  };
}

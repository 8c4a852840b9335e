import { createHash } from 'node:crypto';
import { toTextDirection } from '@cloche/contract/language';
import type { Language } from '@cloche/contract/viewer-options';
import { escapeHtml } from '../http/escape-html.ts';
import { createPreviewPageHeaders } from '../http/page-headers.ts';

const STYLE = `
:root{color-scheme:light dark}
*{box-sizing:border-box}
body{margin:0;height:100vh;height:100dvh;display:grid;grid-template-rows:auto 1fr;font:1rem/1.5 system-ui,sans-serif;background:#f4f4f2;color:#23262b}
header{display:flex;flex-wrap:wrap;gap:0 1rem;align-items:baseline;padding:.75rem 1.25rem;min-width:0}
h1{font-size:1.0625rem;line-height:1.35;margin:0;overflow-wrap:anywhere}
p{margin:0;font-size:.875rem;color:#5b6068}
iframe{display:block;width:100%;height:100%;border:0;background:#dfe2e7}
@media (prefers-color-scheme:dark){body{background:#1a1c1f;color:#ecedee}p{color:#a3a8b0}iframe{background:#2b2e33}}
`.trim();

/** The headers of the page that a preview link opens. */
export const PREVIEW_PAGE_HEADERS = createPreviewPageHeaders(
  `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
);

export type PreviewPageOptions = {
  designName: string;
  /** The URL of the framed document. */
  src: string;
  expiresAt: Date;
  language: Language;
  /** The texts that visitors read, by key. */
  messages: Readonly<Record<string, string>>;
};

/** Renders the page that a preview link opens. It frames the design. */
export function renderPreviewPage({
  designName,
  src,
  expiresAt,
  language,
  messages,
}: PreviewPageOptions): string {
  const name = escapeHtml(designName);
  const time = `<time datetime="${expiresAt.toISOString()}">${formatTime(expiresAt, language)}</time>`;
  const validity = escapeHtml(messages['previewPage.validity'] ?? '').replace('{time}', () => time);
  return `<!doctype html>
<html lang="${language}" dir="${toTextDirection(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${name} · ${escapeHtml(messages['previewPage.title'] ?? '')}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<header>
<h1><bdi>${name}</bdi></h1>
<p>${validity}</p>
</header>
<main>
<iframe src="${escapeHtml(src)}" title="${name}" referrerpolicy="strict-origin" allow="fullscreen; xr-spatial-tracking"></iframe>
</main>
</body>
</html>
`;
}

/** `14:05 UTC`. The page has no script, so the time is not in the time zone of the reader. */
function formatTime(time: Date, language: Language): string {
  return time.toLocaleTimeString(language, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: 'UTC',
    timeZoneName: 'short',
  });
}

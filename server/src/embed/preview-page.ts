import { normalizeOptions } from '@cloche/contract/parse-option';
import type { Language } from '@cloche/contract/viewer-options';
import type { DesignRecord } from '../designs/design.ts';
import { escapeHtml } from '../http/escape-html.ts';
import { createPreviewPageHeaders } from '../http/page-headers.ts';
import { createFramePage, type FramePage } from './frame-page.ts';

const STYLE = 'header{flex-wrap:wrap;gap:0 1rem;align-items:baseline;padding:.75rem 1.25rem}';

export type PreviewPageOptions = {
  design: Pick<DesignRecord, 'name' | 'revision' | 'viewer'>;
  /** The URL of the framed document. */
  src: string;
  expiresAt: Date;
  language: Language;
  /** The texts that visitors read, by key. */
  messages: Readonly<Record<string, string>>;
};

/** Creates the page that a preview link opens. It frames the design. */
export function createPreviewPage(options: PreviewPageOptions): FramePage {
  const { design, src, expiresAt, language, messages } = options;
  const name = escapeHtml(design.name);
  const time = `<time datetime="${expiresAt.toISOString()}">${formatTime(expiresAt, language)}</time>`;
  const validity = escapeHtml(messages['previewPage.validity'] ?? '').replace('{time}', () => time);
  return createFramePage({
    design,
    src,
    options: normalizeOptions(design.viewer),
    language,
    head: `<title>${name} · ${escapeHtml(messages['previewPage.title'] ?? '')}</title>`,
    header: `<h1><bdi>${name}</bdi></h1>\n<p>${validity}</p>`,
    style: STYLE,
    createHeaders: createPreviewPageHeaders,
  });
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

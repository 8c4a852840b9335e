import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { escapeHtml, toScriptSafeJson } from '../http/escape-html.ts';

/** Parses the template of the framed document into a function that fills its slots. */
export function parseViewerTemplate(template: string): (config: ViewerConfig) => string {
  // Text at even indexes, slot names at odd ones.
  const parts = template.split(/\{\{(title|viewerConfig)\}\}/);
  return (config) => {
    const slots: Record<string, string> = {
      title: escapeHtml(config.design.name),
      viewerConfig: toScriptSafeJson(config),
    };
    return parts.map((part, i) => (i % 2 === 0 ? part : slots[part])).join('');
  };
}

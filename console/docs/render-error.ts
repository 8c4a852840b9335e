import { ApiError } from '../src/api/api-error.ts';
import { h } from './dom.ts';

/** Creates the message of an error, with a link to the page that explains the problem. */
export function renderError(error: unknown): HTMLElement {
  const message = error instanceof Error ? error.message : String(error);
  const problem = error instanceof ApiError ? error.problem : undefined;
  // In a new tab: leaving this page would lose what was entered.
  const link =
    problem && h('a', { href: problem.type, target: '_blank', rel: 'noopener' }, 'What this means');
  return h('p', { class: 'error' }, message, ...(link ? [' ', link] : []));
}

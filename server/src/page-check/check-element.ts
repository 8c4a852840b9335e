import type { PageFinding, PageFindingCode } from '@cloche/contract/page-check';
import { isUrlInOtherAttribute } from './embed-url.ts';
import { createFinding } from './finding.ts';
import { isHidden } from './hidden-elements.ts';
import { type ElementContext, type EmbedElement, VIEWER_ELEMENT } from './page-document.ts';
import { listMissingSandboxTokens } from './page-policy.ts';

/** Checks what can be seen at the element alone: where it is, and its attributes. */
export function checkElement(element: EmbedElement): PageFinding[] {
  return [
    ...checkContext(element),
    ...checkKind(element),
    ...checkVisibility(element),
    ...checkSandboxAttribute(element),
    ...checkTitle(element),
  ];
}

const CONTEXT_CODES: Readonly<Partial<Record<ElementContext, PageFindingCode>>> = {
  template: 'frame.in-template',
  noscript: 'frame.in-noscript',
  comment: 'frame.in-comment',
  text: 'frame.as-text',
};
const CONTEXT_DETAILS: Readonly<Record<ElementContext, string>> = {
  page: '',
  template: 'What is in <template> is not shown, unless a script of the page inserts a copy.',
  noscript: 'Browsers with scripts ignore what is in <noscript>, and the viewer is a script.',
  comment: 'Browsers ignore what is between <!-- and -->.',
  text: 'Visitors read the HTML: its < is written as &lt;, as editors do it in their visual mode.',
};

function checkContext({ context }: EmbedElement): PageFinding[] {
  const code = CONTEXT_CODES[context];
  if (code === undefined) return [];
  const fix =
    context === 'text'
      ? 'Paste the HTML into a block for custom HTML, or into the source view of the editor.'
      : 'Move the iframe out of it, into the page itself.';
  return [createFinding(code, { detail: CONTEXT_DETAILS[context], fix })];
}

function checkKind(element: EmbedElement): PageFinding[] {
  const { name, attributes } = element;
  if (name === VIEWER_ELEMENT) return [];
  if (name !== 'iframe') {
    const detail = `The service shows designs in an iframe only, and this is <${name}>.`;
    const fix = 'Use the HTML of POST /embed/iframe/v1 as it is.';
    return [createFinding('frame.other-element', { detail, fix })];
  }
  if (attributes.has('srcdoc')) {
    const detail = 'Browsers show the HTML in srcdoc, and ignore src.';
    return [createFinding('frame.srcdoc', { detail, fix: 'Remove the attribute srcdoc.' })];
  }
  if (!isUrlInOtherAttribute(element)) return [];
  const detail =
    'The URL is in another attribute than src. The design is shown only if a script of the page writes it into src, which this check cannot see.';
  const fix = 'Write the URL into src. The iframe already loads late, with loading="lazy".';
  return [createFinding('frame.no-src', { detail, fix })];
}

const ZERO_SIZE = /(^|[;\s])(width|height)\s*:\s*0(px|%|em|rem)?\s*(;|$)/i;

function checkVisibility({ attributes, inHidden }: EmbedElement): PageFinding[] {
  const isZero = ['width', 'height'].some((name) =>
    /^\s*0+(px)?\s*$/.test(attributes.get(name) ?? ''),
  );
  if (isZero || isHidden(attributes) || ZERO_SIZE.test(attributes.get('style') ?? '')) {
    const detail = 'Its own attributes hide the element, or make it 0 pixels wide or high.';
    const fix = 'Write style="display:block;width:100%;aspect-ratio:4/3;border:0", without hidden.';
    return [createFinding('frame.hidden', { detail, fix })];
  }
  if (!inHidden) return [];
  const detail = 'An element around it is hidden. The design is loaded when a script shows it.';
  const fix = 'Nothing, if visitors open it, for example in a tab or a dialog.';
  return [createFinding('frame.in-hidden', { detail, fix })];
}

function checkSandboxAttribute({ name, attributes }: EmbedElement): PageFinding[] {
  const sandbox = attributes.get('sandbox');
  if (name !== 'iframe' || sandbox === undefined) return [];
  const missing = listMissingSandboxTokens(sandbox);
  if (missing.length === 0) return [];
  const detail = `The sandbox has no ${missing.join(' and no ')}: the viewer cannot run, or cannot load its files.`;
  const fix = `Remove the attribute, or write sandbox="${[sandbox.trim(), ...missing].join(' ').trim()}".`;
  return [createFinding('frame.sandbox', { detail, fix })];
}

function checkTitle({ attributes }: EmbedElement): PageFinding[] {
  if (attributes.get('title')?.trim()) return [];
  const detail = 'Screen readers announce a frame without a name.';
  const fix = 'Write title="…" with the name of the design.';
  return [createFinding('frame.title', { detail, fix })];
}

import type { PageEmbed, PageFinding } from '@cloche/contract/page-check';
import { parseQueryOptions } from '../embed/query-options.ts';
import type { TokenRecord } from '../tokens/token.ts';
import { type AccessStores, checkAccess } from './check-access.ts';
import { checkElement } from './check-element.ts';
import { checkFullscreen } from './check-fullscreen.ts';
import { checkPagePolicy, type EmbedInPage } from './check-page-policy.ts';
import { checkViewerScript, findOwnScript, type ScriptContext } from './check-viewer-script.ts';
import { findEmbedUrl } from './embed-url.ts';
import { createFinding } from './finding.ts';
import { type EmbedElement, type PageDocument, VIEWER_ELEMENT } from './page-document.ts';

/** With one of these findings and no error, it is not known whether the design is shown. */
const UNKNOWN_CODES: readonly string[] = ['token.not-yours', 'frame.no-src', 'element.script'];
const DESIGN_ID = /^[\da-f-]{1,64}$/;

/** Who asks, and about which page. */
export type EmbedCheckContext = ScriptContext & {
  document: PageDocument;
  caller: TokenRecord;
  stores: AccessStores;
  now: Date;
};

/** Checks one embed of a page. */
export async function checkPageEmbed(
  element: EmbedElement,
  context: EmbedCheckContext,
): Promise<PageEmbed> {
  const { document, page, base, publicHost } = context;
  const service = findOwnScript(document, context)?.url.origin ?? publicHost.origin;
  const embedUrl = findEmbedUrl(element, { base, service, publicHost });
  const isViewer = element.name === VIEWER_ELEMENT;
  const findings = [
    ...checkElement(element),
    ...(isViewer ? checkViewerScript(document, context) : []),
  ];
  const common = { element: element.name, line: element.line };
  if (embedUrl === undefined) {
    findings.unshift(isViewer ? createSourceFinding() : createServiceFinding('', context));
    return toEmbed({ ...common, design: null, tokenId: null, options: {}, findings });
  }
  const design = DESIGN_ID.test(embedUrl.designId) ? embedUrl.designId : null;
  const { options, warnings } = parseQueryOptions(embedUrl.parameters);
  if (!embedUrl.isOurs) {
    findings.unshift(createServiceFinding(embedUrl.url.origin, context));
    return toEmbed({ ...common, design, tokenId: null, options, findings });
  }
  const embed: EmbedInPage = { element, embedUrl, page };
  const access = await checkAccess(embed, context.caller, context.stores, context.now);
  findings.push(
    ...checkPagePolicy(embed),
    ...access.findings,
    ...checkFullscreen(embed),
    ...warnings.map(createOptionFinding),
  );
  return toEmbed({ ...common, design, tokenId: access.tokenId, options, findings });
}

/** Errors first. */
function toEmbed({ findings, ...embed }: Omit<PageEmbed, 'shows'>): PageEmbed {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const warnings = findings.filter(({ severity }) => severity === 'warning');
  const isUnknown = warnings.some(({ code }) => UNKNOWN_CODES.includes(code));
  const shows = errors.length > 0 ? false : isUnknown ? null : true;
  return { ...embed, shows, findings: [...errors, ...warnings] };
}

function createSourceFinding(): PageFinding {
  return createFinding('element.source', {
    detail: 'The element has neither src nor design and token, or their values are not valid.',
    fix: 'Write design="cloche:design:…" and token="cloche_pk_…".',
  });
}

function createServiceFinding(origin: string, { publicHost }: EmbedCheckContext): PageFinding {
  return createFinding('frame.other-service', {
    detail: `The URL of the iframe is at ${origin || 'an invalid address'}, and this service is at ${publicHost.origin}. What is there was not checked.`,
    fix: `Write a complete URL that begins with ${publicHost.origin}/embed/iframe/v1/. A <base> in the page changes what URLs without a host refer to.`,
  });
}

function createOptionFinding(detail: string): PageFinding {
  const fix = 'See the list of options: /docs/viewer-api#options.';
  return createFinding('frame.options', { detail, fix });
}

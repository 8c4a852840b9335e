import type { PageFinding } from '@cloche/contract/page-check';
import type { PublicHost } from '../http/public-host.ts';
import { addSource, listPolicies, quotePolicy } from './check-page-policy.ts';
import { isAddressOf } from './embed-url.ts';
import type { FetchedPage } from './fetch-page.ts';
import { createFinding } from './finding.ts';
import type { PageDocument, ScriptElement } from './page-document.ts';
import { findScriptViolation } from './page-policy.ts';

/** The page, and the address that relative URLs in it refer to. */
export type ScriptContext = { page: FetchedPage; base: URL; publicHost: PublicHost };

/** A script of the SDK that this service serves, and its URL. */
type OwnScript = { script: ScriptElement; url: URL };

/** Finds the script that defines `<cloche-viewer>`. */
export function findOwnScript(
  { sdkScripts }: PageDocument,
  { base, publicHost }: Pick<ScriptContext, 'base' | 'publicHost'>,
): OwnScript | undefined {
  for (const script of sdkScripts) {
    const url = URL.parse(script.attributes.get('src') ?? '', base.href);
    if (url !== null && isAddressOf(publicHost, url)) return { script, url };
  }
  return undefined;
}

/** Checks whether the script that defines `<cloche-viewer>` is in the page and may run. */
export function checkViewerScript(document: PageDocument, context: ScriptContext): PageFinding[] {
  const { page, publicHost } = context;
  const own = findOwnScript(document, context);
  if (own === undefined) return [createScriptFinding(document, publicHost.origin)];
  const policies = listPolicies(page, own.script);
  const { attributes } = own.script;
  const violation = findScriptViolation(policies, { url: own.url, page: page.url }, attributes);
  if (violation === undefined) return [];
  return [
    createFinding('element.script-csp', {
      detail: `The Content-Security-Policy of the page has "${quotePolicy(violation)}", which does not allow the script ${own.url.origin}${own.url.pathname}.`,
      fix: `Write this directive into the policy: script-src ${addSource(violation, own.url.origin)}`,
    }),
  ];
}

function createScriptFinding({ hasScripts }: PageDocument, origin: string): PageFinding {
  const fix = `Write <script src="${origin}/sdk/v1/cloche.js"></script> into the page.`;
  if (!hasScripts) {
    const detail = 'The element needs a script, and the page has none.';
    return createFinding('element.no-script', { detail, fix });
  }
  const detail =
    'The page does not load the script from this service. Another script can contain it, which this check cannot see.';
  return createFinding('element.script', { detail, fix });
}

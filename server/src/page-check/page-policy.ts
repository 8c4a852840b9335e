import { matchesSource, type SourceContext } from './csp-source.ts';

/** A Content-Security-Policy of the page: its directives with their sources, by name. */
export type PagePolicy = ReadonlyMap<string, readonly string[]>;

/** What a policy does not allow: the directive that the browser uses, and its sources. */
export type PolicyViolation = { directive: string; sources: readonly string[] };

const FRAME_DIRECTIVES = ['frame-src', 'child-src', 'default-src'];
const SCRIPT_DIRECTIVES = ['script-src-elem', 'script-src', 'default-src'];

/** Parses the values of headers or of `<meta>` elements. In a header, a comma begins another policy. */
export function parsePolicies(values: readonly string[]): PagePolicy[] {
  return values.flatMap((value) => value.split(',').map(parsePolicy));
}

function parsePolicy(text: string): PagePolicy {
  const policy = new Map<string, readonly string[]>();
  for (const directive of text.split(';')) {
    const [name = '', ...sources] = directive.trim().split(/\s+/);
    // A directive that occurs again is ignored.
    if (name !== '' && !policy.has(name.toLowerCase())) policy.set(name.toLowerCase(), sources);
  }
  return policy;
}

/** Finds a policy that does not allow an iframe with this URL. All policies must allow it. */
export function findFrameViolation(
  policies: readonly PagePolicy[],
  context: SourceContext,
): PolicyViolation | undefined {
  return findViolation(policies, FRAME_DIRECTIVES, (sources) =>
    sources.some((source) => matchesSource(source, context)),
  );
}

/** Finds a policy that does not allow a script with this URL and these attributes. */
export function findScriptViolation(
  policies: readonly PagePolicy[],
  context: SourceContext,
  attributes: ReadonlyMap<string, string>,
): PolicyViolation | undefined {
  const hashes = (attributes.get('integrity') ?? '').split(/\s+/).map((hash) => `'${hash}'`);
  const own = [`'nonce-${attributes.get('nonce') ?? ''}'`, ...hashes];
  return findViolation(policies, SCRIPT_DIRECTIVES, (sources) => {
    if (sources.some((source) => own.includes(source))) return true;
    // With it, the sources that are URLs have no effect.
    if (sources.some((source) => source.toLowerCase() === "'strict-dynamic'")) return false;
    return sources.some((source) => matchesSource(source, context));
  });
}

function findViolation(
  policies: readonly PagePolicy[],
  directives: readonly string[],
  isAllowed: (sources: readonly string[]) => boolean,
): PolicyViolation | undefined {
  for (const policy of policies) {
    const directive = directives.find((name) => policy.has(name));
    if (directive === undefined) continue;
    const sources = policy.get(directive) ?? [];
    if (!isAllowed(sources)) return { directive, sources };
  }
  return undefined;
}

/** Says whether a policy turns http into https in the URLs of the page. */
export function upgradesRequests(policies: readonly PagePolicy[]): boolean {
  return policies.some((policy) => policy.has('upgrade-insecure-requests'));
}

/** Finds what the sandbox of the page lacks for embeds. Only the policies in headers can have one. */
export function findMissingSandboxTokens(headerPolicies: readonly PagePolicy[]): string[] {
  const sandboxes = headerPolicies.flatMap((policy) => {
    const tokens = policy.get('sandbox');
    return tokens === undefined ? [] : [tokens.join(' ')];
  });
  return [...new Set(sandboxes.flatMap(listMissingSandboxTokens))];
}

/** Lists what the viewer needs of a sandbox: it is a script, and its own origin lets it load its files. */
export function listMissingSandboxTokens(sandbox: string): string[] {
  const tokens = sandbox.toLowerCase().split(/\s+/);
  return ['allow-scripts', 'allow-same-origin'].filter((token) => !tokens.includes(token));
}

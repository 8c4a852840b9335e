/** A request in the source text of the console. */
export type SourceRequest = {
  /** The path, with `{}` for each expression. */
  path: string;
  /** Undefined: it is not in the same call. */
  method: string | undefined;
  /** The type argument of `getJson`, which is that of the response. Undefined: it is another call. */
  type: string | undefined;
};

const EXPRESSION = String.raw`\$\{(?:[^{}]|\{[^{}]*\})*\}`;
/** Text in single quotes, or a template, that begins with a path of the service. */
const PATH_LITERAL = new RegExp(
  String.raw`'(/(?:v1|embed)/[^'\n]*)'|\x60(?:${EXPRESSION})?(/(?:v1|embed)/(?:${EXPRESSION}|[^\x60])*)\x60`,
  'g',
);

/** Finds the requests in a source text: every text that begins with `/v1/` or `/embed/`. */
export function findRequests(source: string): SourceRequest[] {
  return [...source.matchAll(PATH_LITERAL)].map((match) => {
    const before = source.slice(0, match.index);
    return {
      path: toPath(match[1] ?? match[2] ?? ''),
      method: findMethod(before, source.slice(match.index + match[0].length)),
      type: /\.getJson<([^()=;]*)>\(\s*$/.exec(before)?.[1],
    };
  });
}

/** Replaces expressions by `{}`, and removes the query. An expression that does not follow a slash is a query. */
function toPath(literal: string): string {
  const path = literal.replaceAll(new RegExp(EXPRESSION, 'g'), '{}');
  return path.replace(/(?<=[^/])\{\}.*$/, '').replace(/\?.*$/, '');
}

/** Finds the method in the arguments after the path. A body without a method is sent with POST. */
function findMethod(before: string, after: string): string | undefined {
  const callee = /([\w.]+)(?:<[^()=;]*>)?\(\s*$/.exec(before)?.[1];
  // The path is in a variable, or in the options of a library.
  if (callee === undefined) return undefined;
  const rest = readArguments(after);
  const method = /(?:method: |, )'([A-Z]+)'/.exec(rest)?.[1];
  if (method !== undefined) return method;
  if (callee.endsWith('.getJson')) return /^\s*,\s*\S/.test(rest) ? 'POST' : 'GET';
  if (!callee.endsWith('.request') || /^\s*,\s*\w/.test(rest)) return undefined;
  return /\b(?:json|file)\b/.test(rest) ? 'POST' : 'GET';
}

/** Returns the text up to the parenthesis that closes the call. */
function readArguments(text: string): string {
  let depth = 1;
  for (let index = 0; index < text.length; index += 1) {
    if ('({['.includes(text.charAt(index))) depth += 1;
    if (')}]'.includes(text.charAt(index))) depth -= 1;
    if (depth === 0) return text.slice(0, index);
  }
  return text;
}

/**
 * Says whether a request is for a path template, such as `/v1/designs/{id}`. A path without a method may be the first
 * part of others, as the value of a variable.
 */
export function isRequestOf({ path, method }: SourceRequest, template: string): boolean {
  const segments = path.split('/');
  const expected = template.split('/');
  if (segments.length > expected.length) return false;
  if (segments.length < expected.length && method !== undefined) return false;
  return segments.every(
    (segment, index) => segment === expected[index] || expected[index]?.startsWith('{'),
  );
}

import { decodePercent } from './decode-percent.ts';

// A token, or any run of characters long enough to be the random part of one. The SHA-256 in the URL
// of a blob (64 hexadecimal digits) is not a secret.
const TOKEN_LIKE =
  /cloche(?:_|%5f)[ps]k(?:_|%5f)[0-9a-z]*|cloche(?:_|%5f)ss(?:_|%5f)[0-9a-z_.-]*|(?<![0-9a-z])(?![0-9a-f]{64}(?![0-9a-z]))[0-9a-z]{30,}/gi;

const MAX_PATH_LENGTH = 200;

/** A token string, or most of one. */
const TOKEN_STRING = /cloche_(?:[ps]k|ss)_[0-9a-z_.-]{16,}/gi;

/** Replaces token strings in a response: a client may have sent one in the wrong place, and its value is quoted. */
export function redactTokenStrings(text: string): string {
  return text.replace(TOKEN_STRING, '[token]');
}

/** Replaces everything that looks like a token. */
export function redactTokens(text: string): string {
  return text.replace(TOKEN_LIKE, '[token]');
}

/** Returns the path of a URL for the log: without query, shortened, tokens replaced. */
export function redactPath(url: string): string {
  const [path = ''] = url.split('?', 1);
  return redactEncodedTokens(path).slice(0, MAX_PATH_LENGTH);
}

function redactEncodedTokens(path: string): string {
  if (!path.includes('%')) return redactTokens(path);
  // Percent-encoding could hide a token from the pattern.
  const decoded = decodePercent(path);
  const redacted = redactTokens(decoded);
  return redacted === decoded ? redactTokens(path) : redacted;
}

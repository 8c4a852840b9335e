/** A request that a form describes. */
export type FormRequest = {
  method: string;
  /** Path and query. */
  url: string;
  headers: [name: string, value: string][];
  accept: string;
  needsToken: boolean;
  /** The Content-Type. With a file, `multipart/form-data` sends it as a form. */
  type?: string;
  body?: string;
  file?: File | undefined;
};

/** Formats a request as a curl command. It has $TOKEN in place of the token: shells store a history. */
export function toCurlCommand(
  origin: string,
  { method, url, headers, accept, needsToken, type, body, file }: FormRequest,
): string {
  const parts = [`curl ${quote(origin + url)}`];
  if (method !== 'GET' && !(method === 'POST' && type !== undefined)) parts.push(`-X ${method}`);
  if (needsToken) parts.push('-H "Authorization: Bearer $TOKEN"');
  if (accept) parts.push(`-H ${quote(`Accept: ${accept}`)}`);
  for (const [name, value] of headers) parts.push(`-H ${quote(`${name}: ${value}`)}`);
  const name = file?.name ?? 'chair.glb';
  if (type === 'multipart/form-data') parts.push(`-F ${quote(`file=@${name}`)}`);
  else if (type !== undefined) {
    parts.push(`-H ${quote(`Content-Type: ${type}`)}`);
    parts.push(body === undefined ? `--data-binary ${quote(`@${name}`)}` : `-d ${quote(body)}`);
  }
  if (accept && !/json|text/.test(accept)) parts.push('-OJ');
  return parts.join(' \\\n  ');
}

/** Quotes for POSIX shells. Between single quotes no character is special. */
function quote(text: string): string {
  return /^[\w:/.?=&~-]+$/.test(text) && !/[?&~]/.test(text)
    ? text
    : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

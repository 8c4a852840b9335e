/** Whether a URI contains its data. */
export function isDataUri(uri: string): boolean {
  return /^data:/i.test(uri);
}

/** Decodes the bytes in a `data:` URI (RFC 2397); undefined if it is malformed. */
export function decodeDataUri(uri: string): Buffer | undefined {
  const comma = uri.indexOf(',');
  if (!isDataUri(uri) || comma === -1) return undefined;
  const body = uri.slice(comma + 1);
  if (uri.slice(0, comma).toLowerCase().endsWith(';base64')) return Buffer.from(body, 'base64');
  try {
    return Buffer.from(decodeURIComponent(body), 'latin1');
  } catch {
    // decodeURIComponent throws at a percent sign without two hexadecimal digits.
    return undefined;
  }
}

/** Returns the values of a cursor as text: opaque to clients, and safe in a URL. */
export function encodeCursor(values: readonly string[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/** Returns the values of a cursor, or undefined if the text is not a cursor of this service. */
export function decodeCursor(cursor: string): string[] | undefined {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(values) && values.every((value) => typeof value === 'string')
      ? values
      : undefined;
  } catch {
    // Not JSON.
    return undefined;
  }
}

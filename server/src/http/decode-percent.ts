const PERCENT = 0x25;

/**
 * Decodes percent-encoded ASCII, also where it was encoded more than once: `%2541` becomes `%41`, and that
 * `A`. Each character of the text is read once: a decoded character is compared with what is before it.
 */
export function decodePercent(text: Pick<string, 'length' | 'charCodeAt'>): string {
  const decoded = new Uint16Array(text.length);
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    decoded[length] = text.charCodeAt(index);
    length += 1;
    while (length >= 3 && decoded[length - 3] === PERCENT) {
      const high = toHexDigit(decoded[length - 2] ?? 0);
      const low = toHexDigit(decoded[length - 1] ?? 0);
      if (high < 2 || high > 7 || low < 0) break;
      length -= 2;
      decoded[length - 1] = high * 16 + low;
    }
  }
  return Buffer.from(decoded.buffer, 0, length * 2).toString('utf16le');
}

/** -1 if the character is not a hexadecimal digit. */
function toHexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

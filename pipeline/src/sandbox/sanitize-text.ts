/** Makes untrusted text safe for a log line or a problem detail: one line, limited length, no control characters. */
export function sanitizeText(text: string, maxLength: number): string {
  return (
    text
      // Control characters, and those that reorder or hide the text around them.
      .replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]+/gu, ' ')
      .trim()
      .slice(0, maxLength)
      .toWellFormed()
  );
}

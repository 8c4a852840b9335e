/** Makes a stranger's text fit for a log line or a problem's detail: one line, bounded, no control characters. */
export function sanitizeText(text: string, maxLength: number): string {
  return (
    text
      // Controls, and what would turn or hide the text around it.
      .replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]+/gu, ' ')
      .trim()
      .slice(0, maxLength)
      .toWellFormed()
  );
}

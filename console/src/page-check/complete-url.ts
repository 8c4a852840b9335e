/** Adds `https://` to what was entered without a scheme, as browsers do. */
export function completeUrl(text: string): string {
  const trimmed = text.trim();
  return trimmed === '' || /^[a-z][a-z\d+.-]*:(?!\d)/i.test(trimmed)
    ? trimmed
    : `https://${trimmed}`;
}

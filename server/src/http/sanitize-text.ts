/** Makes untrusted text safe for terminals and logs: one line of Latin characters, shortened. */
export function sanitizeText(text: string, maxLength: number): string {
  const clean = text.replace(/[^\x20-\x7e\u00a0-\u024f]/g, '?');
  return clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean;
}

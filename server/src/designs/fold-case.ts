/**
 * Converts a text so that two texts that differ only in case become equal, in every script: `Ä` and
 * `ä`, `ß` and `SS`, `Σ` and `ς`. Compatibility forms, such as full-width letters, become equal too.
 *
 * Stored in the database: changing it needs a migration.
 */
export function foldCase(text: string): string {
  const upperCase = text.normalize('NFKC').toUpperCase();
  // Character by character: `toLowerCase` of a word turns its last sigma into a final sigma.
  return (
    Array.from(upperCase, (character) => character.toLowerCase())
      .join('')
      // The lower case of the Turkish "İ" is an "i" with a combining dot.
      .replaceAll('i\u0307', 'i')
      .normalize('NFC')
  );
}

/** A change of a source text. */
export type SourceEdit = readonly [pattern: RegExp, text: string];

/**
 * Returns a source of three.js with changes.
 *
 * @param name that of the source, for the error
 * @throws {Error} if three.js has changed, and the edits must be, too
 */
export function applyEdits(
  name: string,
  source: string,
  edits: readonly SourceEdit[] = [],
): string {
  return edits.reduce((edited, [pattern, text]) => {
    if (edited.search(pattern) < 0)
      throw new Error(
        `${name} does not contain ${pattern.source}: update its edits in viewer/build.`,
      );
    return edited.replace(pattern, text);
  }, source);
}

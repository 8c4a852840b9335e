/** The most defects that a message names. */
const MAX_EXAMPLES = 3;

/** Describes defects in one or two sentences: "2 files are damaged: 1a… is missing; 2b… has other bytes." */
export function describeDefects(
  noun: string,
  defects: readonly (
    | { ref: string; reason: string }
    | { table: string; key: string; reason: string }
  )[],
): string {
  const examples = defects.slice(0, MAX_EXAMPLES).map((defect) => {
    const name = 'ref' in defect ? defect.ref : `${defect.table} ${defect.key}`.trim();
    return `${name} ${'ref' in defect ? '' : ': '}${defect.reason}`.replace(' : ', ': ');
  });
  const rest = defects.length > MAX_EXAMPLES ? ', and others' : '';
  const verb = defects.length === 1 ? `${noun} is` : `${noun}s are`;
  return `${defects.length} ${verb} missing or damaged: ${examples.join('; ')}${rest}.`;
}

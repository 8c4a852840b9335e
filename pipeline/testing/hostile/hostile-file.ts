/** Where the corpus points at what must not be touched. */
export type CanaryTargets = {
  /** The absolute path of a file that nobody may read. */
  filePath: string;
  /** The address of a listener that nobody may call. */
  url: string;
};

/**
 * How a hostile file ends: refused at once; or, past the preflight, in a design that failed; or ready,
 * for it is harmless once it is opened with care, and perhaps without a texture, of which the owner is
 * told; or any of these, as long as nothing was touched.
 */
export type ExpectedOutcome = '4xx' | '4xx or failed' | 'ready' | 'ready without a texture' | 'any';

/** A file that means harm. It is made when it is asked for: some have a hundred megabytes. */
export type HostileFile = { name: string; make(): Buffer; expectedOutcome: ExpectedOutcome };

export type HostileFileCase = [name: string, make: () => Buffer | string, ends?: ExpectedOutcome];

/** Takes rows for files; those that do not say how they end are refused at once. */
export function toHostileFiles(kind: string, rows: readonly HostileFileCase[]): HostileFile[] {
  return rows.map(([name, make, expectedOutcome = '4xx']) => ({
    name: `${kind}: ${name}`,
    make: () => Buffer.from(make() as string),
    expectedOutcome,
  }));
}

export function repeat<T>(count: number, item: T): T[] {
  return new Array<T>(count).fill(item);
}

/** The targets of references in hostile files. A test fails if they are accessed. */
export type CanaryTargets = {
  /** The absolute path of a file that must not be read. */
  filePath: string;
  /** The URL of a server that must not be called. */
  url: string;
};

/**
 * The expected outcome: refused by the validation (4xx), failed in processing, ready because the file
 * is harmless, ready without a texture and with a warning, or any of these. The canary is never accessed.
 */
export type ExpectedOutcome = '4xx' | '4xx or failed' | 'ready' | 'ready without a texture' | 'any';

/** A malicious file. It is generated on demand, as some have a hundred megabytes. */
export type HostileFile = { name: string; make(): Buffer; expectedOutcome: ExpectedOutcome };

/** A table row for a hostile file. */
export type HostileFileCase = [
  name: string,
  make: () => Buffer | string,
  expectedOutcome?: ExpectedOutcome,
];

/** Converts table rows to files. The default outcome is 4xx. */
export function toHostileFiles(kind: string, rows: readonly HostileFileCase[]): HostileFile[] {
  return rows.map(([name, make, expectedOutcome = '4xx']) => ({
    name: `${kind}: ${name}`,
    make: () => Buffer.from(make() as string),
    expectedOutcome,
  }));
}

/** An array with the same item `count` times. */
export function repeat<T>(count: number, item: T): T[] {
  return new Array<T>(count).fill(item);
}

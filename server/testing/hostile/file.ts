/** Where the corpus points at what must not be touched. */
export type Canary = {
  /** The absolute path of a file that nobody may read. */
  file: string;
  /** The address of a listener that nobody may call. */
  url: string;
};

/**
 * How a hostile file ends: refused at once; or, past the preflight, in a design that failed; or ready,
 * for it is harmless once it is opened with care, and perhaps without a texture, of which the owner is
 * told; or any of these, as long as nothing was touched.
 */
export type Ending = '4xx' | '4xx or failed' | 'ready' | 'ready without a texture' | 'any';

/** A file that means harm. It is made when it is asked for: some have a hundred megabytes. */
export type Hostile = { name: string; make(): Buffer; ends: Ending };

export type Row = [name: string, make: () => Buffer | string, ends?: Ending];

/** Takes rows for files; those that do not say how they end are refused at once. */
export function hostile(kind: string, rows: readonly Row[]): Hostile[] {
  return rows.map(([name, make, ends = '4xx']) => ({
    name: `${kind}: ${name}`,
    make: () => Buffer.from(make() as string),
    ends,
  }));
}

export function repeat<T>(count: number, item: T): T[] {
  return new Array<T>(count).fill(item);
}

import type { ProblemCode } from '@cloche/contract/problem';
import type { Report, Tell } from './report.ts';

/** What the child says of its work; the parent adds what it saw itself. */
export type ChildReport = Pick<Report, 'before' | 'steps' | 'warnings'>;

/**
 * How a job ended: with `out/model.glb`, perhaps `out/preview.glb`, and a report; or with words for
 * the owner. `retry`: the same file might fare better another time.
 */
export type Outcome =
  | { ok: true; report: ChildReport }
  | { ok: false; code: ProblemCode; detail: string; retry: boolean };

/**
 * Makes a model for the web of `<folder>/in`, as `<folder>/task.json` says, into `<folder>/out/`. The
 * real one is the sandbox.
 */
export interface Maker {
  run(folder: string, options: { signal: AbortSignal; tell: Tell }): Promise<Outcome>;
}

import type { Stats } from '@cloche/contract/stats';
import type { Examined } from '../format.ts';
import { preflight } from './preflight.ts';
import { openSource } from './source.ts';

/** Looks at a file before anything opens it. */
export type Examiner = {
  /** @throws {Problem} design.unreadable, design.unsupported, design.too-complex */
  examine(path: string): Promise<{ examined: Examined; stats?: Stats | undefined }>;
};

export function openExaminer(): Examiner & AsyncDisposable {
  return {
    async examine(path) {
      await using file = await openSource(path);
      const stats = await preflight(file);
      return { examined: { format: 'glb' }, stats };
    },
    async [Symbol.asyncDispose]() {},
  };
}

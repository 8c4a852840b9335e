import type { ProcessingWarning } from '@cloche/contract/design';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import type { ModelPart } from './model-part.ts';

/** Collects warnings about extensions, and about colors painted in a slicer, that are ignored. */
export function collect3mfWarnings(parts: Iterable<ModelPart>): ProcessingWarning[] {
  return [...parts].flatMap(({ unsupported }) =>
    [...unsupported].map((name) => ({
      code: 'extension.ignored',
      message: `The 3MF has ${quoteUntrusted(name)}, which was ignored.`,
    })),
  );
}

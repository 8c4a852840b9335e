import type { ProcessingWarning } from '@cloche/contract/design';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';

/** The warning that content of a file was ignored; `content` is a plural, such as "curves". */
export function ignoredWarning(
  code: string,
  formatLabel: string,
  content: string,
): ProcessingWarning {
  return { code, message: `The ${formatLabel} file has ${content}, which were ignored.` };
}

/** The warning that an external texture of a model is not in its archive. */
export function missingTextureWarning(reference: string): ProcessingWarning {
  const message = `The texture ${quoteUntrusted(reference)} was not uploaded with the model.`;
  return { code: 'texture.missing', message };
}

/** The warning that parts of a CAD or BIM model have no triangles; undefined if all have some. */
export function emptyPartsWarning(
  emptyCount: number,
  partCount: number,
): ProcessingWarning | undefined {
  if (emptyCount === 0) return undefined;
  const message = `${emptyCount} of the ${partCount} parts could not be converted to triangles.`;
  return { code: 'part.empty', message };
}

import { Problem } from '@cloche/contract/problem';

/** Describes why the bytes of a blob cannot be read: "cannot be read (EIO)". Rethrows other errors. */
export function describeReadError(error: unknown): string {
  const { code, name } = error as NodeJS.ErrnoException;
  const isOfStorage =
    error instanceof Problem ||
    (error instanceof Error && (typeof code === 'string' || '$metadata' in error));
  if (!isOfStorage) throw error;
  return `cannot be read (${code ?? name})`;
}

/** Codes of the system: the limit of this process, and that of the machine. */
const CODES = ['EMFILE', 'ENFILE'];

/** Says whether the limit of open files, which connections count towards, was the cause of an error. */
export function isTooManyOpenFiles(error: unknown): boolean {
  // The validation thread sends its errors as text.
  if (typeof error === 'string') return /\b(EMFILE|ENFILE):/.test(error);
  if (!(error instanceof Error)) return false;
  const { code = '' } = error as NodeJS.ErrnoException;
  return CODES.includes(code) || isTooManyOpenFiles(error.cause);
}

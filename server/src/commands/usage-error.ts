/** The arguments of a command are not valid. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

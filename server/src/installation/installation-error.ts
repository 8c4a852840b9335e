/** An operation on an installation is not possible. The message says why, and what to do. */
export class InstallationError extends Error {
  override readonly name = 'InstallationError';
}

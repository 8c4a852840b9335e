import { Problem } from '@cloche/contract/problem';
import { ConfigError } from '../environment.ts';

const CONNECTION_ERROR_REASONS: Record<string, string> = {
  '28000': 'which refuses the user. Check the user, and pg_hba.conf of the server',
  '28P01': 'which refuses the password. Correct the user or the password',
  '3D000': 'a database that does not exist. Create it, or correct its name',
  '42501': 'where the user may not create tables. Make the user the owner of the database',
};

/** Whether an error says what to correct in the settings. */
export function isKnownError(error: unknown): boolean {
  return Object.hasOwn(CONNECTION_ERROR_REASONS, (error as { code?: string }).code ?? '');
}

/** @throws {ConfigError} */
export function throwConnectionError(url: string, error: unknown): never {
  throw toConnectionError(url, error);
}

/** Returns the error to print for an error of the connection. */
export function toConnectionError(url: string, thrown: unknown): ConfigError {
  if (thrown instanceof Error && thrown.name === 'SharedLockError') {
    return new ConfigError(
      `CLOCHE_DATABASE_URL is ${describeUrl(url)}, which "cloche-server restore" or "move" is using. Wait for its end.`,
    );
  }
  const error = thrown instanceof Problem ? thrown.cause : thrown;
  const { code = '', message, path, syscall } = error as NodeJS.ErrnoException;
  // The files that the query names, such as sslrootcert, are read before the connection is opened.
  if (path !== undefined && syscall === 'open')
    return new ConfigError(
      `CLOCHE_DATABASE_URL is ${describeUrl(url)}, and names the file "${path}", which cannot be read (${code}). Correct the path in sslrootcert, sslcert or sslkey, or let this user read the file.`,
    );
  const reason =
    CONNECTION_ERROR_REASONS[code] ??
    `which cannot be reached (${code || message}). Start the server, or correct the host and the port`;
  return new ConfigError(`CLOCHE_DATABASE_URL is ${describeUrl(url)}, ${reason}.`);
}

/** The host and the database: the other parts of the URL are secret. */
export function describeUrl(url: string): string {
  const { host, pathname } = new URL(url);
  return `the database "${decodeURIComponent(pathname.slice(1))}" on ${host || 'this machine'}`;
}

import { Problem, type ProblemCode, type ProblemOptions } from '@cloche/contract/problem';

type DatabaseProblem = readonly [code: ProblemCode, options: ProblemOptions];

const RETRY_AFTER_SECONDS = 2;
const UNAVAILABLE: DatabaseProblem = [
  'server.unavailable',
  {
    detail: 'The database does not respond. Try again in a moment.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  },
];
const CONFLICT: DatabaseProblem = [
  'server.unavailable',
  {
    detail: 'Another request changed the same data at the same time. Try again.',
    retryAfterSeconds: 1,
  },
];

/** The problems of SQLSTATE codes (PostgreSQL 18, appendix A). Other codes are defects of this program. */
const PROBLEMS_BY_SQLSTATE: Readonly<Record<string, DatabaseProblem>> = {
  // Text with U+0000, or bytes that are not UTF-8.
  '22021': [
    'request.invalid',
    { detail: 'The request contains the character U+0000, which cannot be stored.' },
  ],
  '25006': UNAVAILABLE, // read_only_sql_transaction: the server is a standby
  '40001': CONFLICT, // serialization_failure
  '40P01': CONFLICT, // deadlock_detected
  '53100': ['server.storage-full', {}], // disk_full
  '53200': UNAVAILABLE, // out_of_memory
  '53300': UNAVAILABLE, // too_many_connections
  '55P03': UNAVAILABLE, // lock_not_available: after lock_timeout
  '57014': UNAVAILABLE, // query_canceled: after statement_timeout
};

/** Connection exceptions; admin_shutdown, crash_shutdown, cannot_connect_now and others that end it. */
const CONNECTION_SQLSTATES = /^(08...|57P..)$/;

const NETWORK_ERROR_CODES: readonly string[] = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
];

/** Errors of `pg` without a code. */
const CONNECTION_ERROR_MESSAGES =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client was closed)/;

const RETRYABLE_SQLSTATES: readonly unknown[] = ['40001', '40P01'];

/** Returns the problem of an error of PostgreSQL or of the connection to it, else the error itself. */
export function toDatabaseError(error: unknown): unknown {
  const problem = findProblem(error);
  return problem === undefined ? error : new Problem(problem[0], { ...problem[1], cause: error });
}

function findProblem(error: unknown): DatabaseProblem | undefined {
  return isConnectionError(error) ? UNAVAILABLE : PROBLEMS_BY_SQLSTATE[String(getCode(error))];
}

/** Whether the connection cannot be used again. */
export function isConnectionError(error: unknown): boolean {
  const code = getCode(error);
  if (code === undefined)
    return error instanceof Error && CONNECTION_ERROR_MESSAGES.test(error.message);
  return NETWORK_ERROR_CODES.includes(String(code)) || CONNECTION_SQLSTATES.test(String(code));
}

/** Whether the transaction may succeed if it is run again: it was rolled back because of another one. */
export function isRetryable(error: unknown): boolean {
  return error instanceof Problem && RETRYABLE_SQLSTATES.includes(getCode(error.cause));
}

/** Whether a statement has waited too long for a lock that another transaction has. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof Problem && getCode(error.cause) === '55P03';
}

/** Whether a row has the same values as another one in a unique index. */
export function isUniqueViolation(error: unknown, index: string): boolean {
  return getCode(error) === '23505' && (error as { constraint?: string }).constraint === index;
}

function getCode(error: unknown): unknown {
  return error instanceof Error ? (error as { code?: unknown }).code : undefined;
}

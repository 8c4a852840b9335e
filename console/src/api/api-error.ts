import type { ProblemDetails } from '@cloche/contract/problem';
import { common } from '../i18n/en/common.ts';

/** A request that failed. `problem` is undefined if there was no response, or not one of the service. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly problem: ProblemDetails | undefined;

  constructor(message: string, problem?: ProblemDetails) {
    super(message);
    this.problem = problem;
  }

  /** Reads the problem in a response, whatever its body is. */
  static fromResponse(status: number, body: string): ApiError {
    const problem = parseProblem(body);
    return new ApiError(problem?.detail ?? common.status(status), problem);
  }
}

/** Says whether an object was not changed because it is no longer the expected version of it. */
export function isPreconditionFailed(error: unknown): boolean {
  return error instanceof ApiError && error.problem?.status === 412;
}

function parseProblem(body: string): ProblemDetails | undefined {
  try {
    const parsed = JSON.parse(body);
    return typeof parsed?.detail === 'string' ? parsed : undefined;
  } catch {
    return undefined;
  }
}

import type { ProblemDetails } from '@cloche/contract/problem';
import { h } from './ui/dom.ts';

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
    return new ApiError(
      problem?.detail ?? `The service answered with status ${status} and no explanation.`,
      problem,
    );
  }
}

export const CONNECTION_ERROR_MESSAGE =
  'The service could not be reached. Check that it runs and that you are online, then try again.';

/** Creates the message of an error, with a link to the page that explains the problem. */
export function renderError(error: unknown): HTMLElement {
  const message = error instanceof Error ? error.message : String(error);
  const problem = error instanceof ApiError ? error.problem : undefined;
  // In a new tab: leaving this page would end the session, which is only in its memory.
  const link =
    problem && h('a', { href: problem.type, target: '_blank', rel: 'noopener' }, 'What this means');
  return h('p', { class: 'error' }, message, ...(link ? [' ', link] : []));
}

function parseProblem(body: string): ProblemDetails | undefined {
  try {
    const parsed = JSON.parse(body);
    return typeof parsed?.detail === 'string' ? parsed : undefined;
  } catch {
    return undefined;
  }
}

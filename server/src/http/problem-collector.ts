import { type FieldError, Problem } from '@cloche/contract/problem';

/** Collects the problems of several fields of a request, so that the client can correct all at once. */
export class ProblemCollector {
  readonly #problems: Problem[] = [];

  add(problem: Problem): void {
    this.#problems.push(problem);
  }

  /** Returns the result of `parse`, or undefined if it throws a problem. */
  tryParse<T>(parse: () => T): T | undefined {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.add(error);
      return undefined;
    }
  }

  /** @throws {Problem} the first problem, with the errors of all fields if there are several */
  throwIfAny(): void {
    const [first] = this.#problems;
    if (first === undefined) return;
    if (this.#problems.length === 1) throw first;
    throw createProblemOfFields(this.#problems.flatMap(toFieldErrors));
  }
}

/** Creates the problem of the first field. If there are several, `errors` has all of them. */
export function createProblemOfFields(errors: readonly FieldError[]): Problem {
  const [first] = errors;
  if (first === undefined) throw new TypeError('There is no error.');
  const { code, field, detail, reason } = first;
  return new Problem(code, {
    field,
    detail,
    ...(reason !== undefined && { reason }),
    ...(errors.length > 1 && { errors }),
  });
}

/** A problem without a field is about the whole body. */
function toFieldErrors({ code, field = 'body', message: detail, reason, errors }: Problem) {
  if (errors !== undefined) return errors;
  return [{ field, code, detail, ...(reason !== undefined && { reason }) }];
}

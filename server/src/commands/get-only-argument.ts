import { UsageError } from './usage-error.ts';

/** Returns the only argument that is not an option. @throws {UsageError} there is none, or several */
export function getOnlyArgument([first, ...others]: string[], what: string): string {
  if (first !== undefined && first !== '' && others.length === 0) return first;
  throw new UsageError(`Write ${what}, and nothing else.`);
}

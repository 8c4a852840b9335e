import { ViewerProblem } from '@cloche/contract/viewer-problem';

/** @param expected what would be right, after "must be" */
export function createArgumentProblem(name: string, expected: string): ViewerProblem {
  return new ViewerProblem('viewer.invalid-argument', `${name} must be ${expected}.`);
}

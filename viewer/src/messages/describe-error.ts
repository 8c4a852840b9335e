import { type ViewerProblemCode, viewerProblems } from '@cloche/contract/viewer-problem';
import type { ViewerErrorCode } from '../viewer-error.ts';

/** An error as the host page receives it. */
type HostError = { code: ViewerProblemCode; message: string };

/** Converts an error that the visitor sees. Its own text is in the language of the visitor. */
export function describeViewerError({ code }: { code: ViewerErrorCode }): HostError {
  const problemCode = `viewer.${code}` as const;
  return { code: problemCode, message: viewerProblems[problemCode] };
}

/** Converts what a method has thrown. The text of an unexpected error may contain anything, so it is only logged. */
export function describeError(error: unknown): HostError {
  if (error instanceof Error && 'code' in error) {
    const { code, message } = error;
    if (isProblemCode(code)) return { code, message };
    // A ViewerError. Its class is part of the first script, which must not depend on this one.
    if (isProblemCode(`viewer.${code}`))
      return describeViewerError({ code: code as ViewerErrorCode });
  }
  console.error(error);
  return describeViewerError({ code: 'failed' });
}

function isProblemCode(code: unknown): code is ViewerProblemCode {
  return typeof code === 'string' && Object.hasOwn(viewerProblems, code);
}

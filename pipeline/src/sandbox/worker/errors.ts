import { Problem } from '@cloche/contract/problem';

// As V8, Node, Emscripten's C++ and libvips say it.
const OUT_OF_MEMORY_MESSAGE =
  /out of memory|allocation failed|failed to allocate|unable to (?:allocate|grow)|cannot allocate|bad_alloc|invalid array buffer length|\bOOM\b/i;

/** What an error means for the owner of the file, if it is about the file. */
export function toDesignProblem(error: unknown): Problem | undefined {
  // Whoever wrapped it may have taken the lack of memory for damage.
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof Problem) continue;
    if (OUT_OF_MEMORY_MESSAGE.test(`${at.name} ${at.message}`)) {
      return tooComplex('The file needs more memory than one design may take.', error);
    }
    if (isSystemError(at, 'EFBIG')) {
      return tooComplex('What becomes of the file is larger than a design may be.', error);
    }
  }
  return error instanceof Problem ? error : undefined;
}

/** Whether the system refused something for this reason. */
export function isSystemError(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code && 'syscall' in error;
}

function tooComplex(detail: string, cause: unknown): Problem {
  return new Problem('design.too-complex', { detail, cause });
}

import { Problem } from '@cloche/contract/problem';

// Messages of V8, Node, Emscripten's C++ and libvips.
const OUT_OF_MEMORY_MESSAGE =
  /out of memory|allocation failed|failed to allocate|unable to (?:allocate|grow)|cannot allocate|bad_alloc|invalid array buffer length|\bOOM\b/i;

/** Converts an error to the problem reported to the owner, or undefined if the file is not the cause. */
export function toDesignProblem(error: unknown): Problem | undefined {
  // An importer may have wrapped an out-of-memory error in a problem about a damaged file.
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Problem) continue;
    if (OUT_OF_MEMORY_MESSAGE.test(`${cause.name} ${cause.message}`)) {
      const detail = 'Processing the file needs more memory than allowed.';
      return new Problem('design.too-complex', { detail, cause: error });
    }
  }
  return error instanceof Problem ? error : undefined;
}

import { Problem } from '@cloche/contract/problem';

// As V8, Node, Emscripten's C++ and libvips say it.
const OUT_OF_MEMORY =
  /out of memory|allocation failed|failed to allocate|unable to (?:allocate|grow)|cannot allocate|bad_alloc|invalid array buffer length|\bOOM\b/i;

/** What an error means for the owner of the file, if it is about the file. */
export function asProblem(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof Error && OUT_OF_MEMORY.test(`${error.name} ${error.message}`)) {
    return new Problem('design.too-complex', {
      detail: 'The file needs more memory than one design may take.',
      cause: error,
    });
  }
  return undefined;
}

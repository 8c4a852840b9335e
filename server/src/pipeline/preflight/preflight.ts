import type { Stats } from '@cloche/contract/stats';
import { readContainer } from './container.ts';
import { checkGltf } from './gltf.ts';
import { parseJson } from './json.ts';
import { LIMITS, type Limits } from './limits.ts';
import type { Source } from './source.ts';

/**
 * Checks a GLB from its first byte to its last index before anything else opens it, and counts
 * what is in it.
 *
 * Time is linear in the size of the file; memory is what the JSON needs, and a block of 1 MiB.
 *
 * @throws {Problem} design.unsupported: the bytes are of another format;
 *   design.unreadable: damaged or not valid, `detail` saying where;
 *   design.too-complex: it would decode to more than `limits`
 */
export async function preflight(file: Source, limits: Limits = LIMITS): Promise<Stats> {
  const { json, bin } = await readContainer(file, limits);
  const text = await file.read(json.offset, json.length);
  return checkGltf({ json: parseJson(text, limits), bytes: file.size, glb: { file, bin } }, limits);
}

import type { Stats } from '@cloche/contract/stats';
import type { Examined } from '../../format.ts';
import { damaged } from '../damaged.ts';
import { check3mf } from '../formats/3mf.ts';
import { checkObj } from '../formats/obj.ts';
import { checkGltf } from '../gltf.ts';
import { findImageSize } from '../image-size.ts';
import { parseJson } from '../json.ts';
import { type Limits, limit } from '../limits.ts';
import { preflight } from '../preflight.ts';
import { quote } from '../quote.ts';
import { bytesSource, type Source } from '../source.ts';
import { type Archive, type Entry, openArchive } from './archive.ts';
import { findContents } from './contents.ts';
import { readAll, readHead } from './read.ts';
import { readSiblings } from './siblings.ts';

/** Where nearly every image has its size. */
const HEAD_BYTES = 64 * 1024;

/**
 * Examines a zip archive. Every file in it is unpacked once, whoever needs it: what an archive says
 * of itself need not be true.
 *
 * @throws {Problem} design.unsupported, design.unreadable, design.too-complex
 */
export async function examineArchive(
  file: Source,
  limits: Limits,
): Promise<{ examined: Examined; stats?: Stats }> {
  const archive = await openArchive(file, limits);
  const contents = findContents(archive.entries.keys());
  if (contents.kind === '3mf') {
    await check3mf(archive, limits);
    return { examined: { format: '3mf' } };
  }
  const { main } = contents;
  const entry = archive.entries.get(main) ?? damaged('missing', `The archive lost ${quote(main)}`);
  if (/\.obj$/i.test(main)) {
    await checkObj(archive.blocks(entry), limits);
    await checkOthers(archive, entry, limits);
    return { examined: { format: 'obj', main } };
  }
  return examineGltf(archive, entry, limits);
}

async function examineGltf(
  archive: Archive,
  main: Entry,
  limits: Limits,
): Promise<{ examined: Examined; stats?: Stats }> {
  limit('archiveBuffers', main.bytes, limits);
  const bytes = await readAll(archive, main);
  if (bytes.toString('latin1', 0, 4) === 'glTF') {
    const stats = await preflight(bytesSource(bytes), limits);
    await checkOthers(archive, main, limits);
    return { examined: { format: 'glb', main: main.name }, stats };
  }
  limit('gltfBytes', main.bytes, limits);
  const json = parseJson(bytes, limits);
  const { siblings, bytes: around } = await readSiblings(archive, { main, json, limits });
  const stats = await checkGltf({ json, bytes: main.bytes + around, siblings }, limits);
  return { examined: { format: 'gltf', main: main.name }, stats };
}

/** Unpacks what is beside the model: images of a size that can be shown, and no more than is said. */
async function checkOthers(archive: Archive, main: Entry, limits: Limits): Promise<void> {
  for (const entry of archive.entries.values()) {
    if (entry === main) continue;
    const head = await readHead(archive, entry, HEAD_BYTES);
    const size = findImageSize(head)?.size;
    if (size === undefined) continue;
    limit('imageSide', Math.max(size.width, size.height), limits, { path: quote(entry.name) });
    limit('pixels', size.pixels, limits, { path: quote(entry.name) });
  }
}

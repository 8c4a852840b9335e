import { assertWithinLimit } from '../../validation/budgets.ts';
import type { ByteReader } from '../../validation/byte-reader.ts';
import { type FileHead, hasSignature, type SniffEvidence } from '../../validation/file-head.ts';
import { type ParsedJson, parseUntrustedJson } from '../../validation/json-scanner.ts';
import { VALIDATION_LIMITS, type ValidationLimits } from '../../validation/limits.ts';
import type { ExternalFiles } from './validation/external-files.ts';
import { parseGlbContainer } from './validation/parse-glb.ts';
import { type GltfContent, validateGltfDocument } from './validation/validate-document.ts';

/** Recognizes a GLB. */
export function sniffGlb(head: FileHead): SniffEvidence | undefined {
  return hasSignature(head, 'glTF') ? 'signature' : undefined;
}

/** Recognizes JSON: no other format begins with a brace. */
export function sniffGltf({ text }: FileHead): SniffEvidence | undefined {
  return /^\s*\{/.test(text) ? 'keyword' : undefined;
}

/**
 * Validates a GLB completely, from its header to its last index, and counts what it contains.
 *
 * Time is linear in the size of the file. Only the parsed JSON and a block of 1 MiB are in memory.
 *
 * @throws {Problem} design.unsupported: a GLB of another version; design.unreadable: damaged or
 *   invalid, `detail` says where; design.too-complex: it would decode to more than `limits` allow
 */
export async function validateGlb(
  file: ByteReader,
  limits: ValidationLimits = VALIDATION_LIMITS,
): Promise<GltfContent> {
  return validateGlbInArchive(file, limits, async () => undefined);
}

/**
 * Validates a GLB that may refer to other files of an archive.
 *
 * @throws {Problem} as validateGlb
 */
export async function validateGlbInArchive(
  file: ByteReader,
  limits: ValidationLimits,
  readFiles: (json: ParsedJson) => Promise<ReadFiles | undefined>,
): Promise<GltfContent> {
  const { json: chunk, bin } = await parseGlbContainer(file, limits);
  const json = parseUntrustedJson(await file.read(chunk.offset, chunk.length), limits);
  const { externalFiles, bytes = 0 } = (await readFiles(json)) ?? {};
  const totalBytes = file.size + bytes;
  return validateGltfDocument(
    { json, totalBytes, glb: { file, bin }, ...(externalFiles && { externalFiles }) },
    limits,
  );
}

type ReadFiles = { externalFiles: ExternalFiles; bytes: number };

/**
 * Validates a .gltf that has all its data in `data:` URIs, and counts what it contains.
 *
 * @throws {Problem} design.unreadable, design.too-complex
 */
export async function validateGltf(
  file: ByteReader,
  limits: ValidationLimits = VALIDATION_LIMITS,
): Promise<GltfContent> {
  assertWithinLimit('gltfBytes', file.size, limits);
  const json = parseUntrustedJson(await file.read(0, file.size), limits);
  return validateGltfDocument({ json, totalBytes: file.size }, limits);
}

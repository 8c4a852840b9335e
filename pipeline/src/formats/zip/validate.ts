import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import { assertWithinLimit } from '../../validation/budgets.ts';
import { type ByteReader, createBufferReader } from '../../validation/byte-reader.ts';
import { findImageSize, IMAGE_HEADER_BYTES } from '../../validation/image-size/image-size.ts';
import { parseUntrustedJson } from '../../validation/json-scanner.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';
import type { ValidatedContent } from '../../validation/validated-content.ts';
import { readEntry, readEntryHead } from '../../validation/zip/read-entry.ts';
import {
  openZipArchive,
  type ZipArchive,
  type ZipEntry,
} from '../../validation/zip/zip-archive.ts';
import { validateGlbInArchive } from '../gltf/validate.ts';
import { readExternalFiles } from '../gltf/validation/read-external-files.ts';
import { validateGltfDocument } from '../gltf/validation/validate-document.ts';
import { validateObj } from '../obj/validate.ts';
import { type DetectedFormat, FORMATS, type FormatWithArchive } from '../registry.ts';
import { findModel } from './find-model.ts';

type ZipValidationResult = ValidatedContent & { detectedFormat: DetectedFormat };

type ValidateEntry = (
  archive: ZipArchive,
  modelEntry: ZipEntry,
  limits: ValidationLimits,
) => Promise<ZipValidationResult>;

/** A model in an archive is validated together with the other entries, which it may refer to. */
const ENTRY_VALIDATORS: { readonly [format in FormatWithArchive<'optional'>]: ValidateEntry } = {
  glb: validateZippedGltf,
  gltf: validateZippedGltf,
  obj: validateZippedObj,
};

/**
 * Validates a zip archive and the model in it. Every entry is decompressed once, because its declared
 * size and checksum may be false.
 *
 * @throws {Problem} design.unsupported, design.unreadable, design.too-complex
 */
export async function validateZip(
  file: ByteReader,
  limits: ValidationLimits,
): Promise<ZipValidationResult> {
  const archive = await openZipArchive(file, limits);
  const model = findModel(archive.entries.keys());
  if (model.kind === 'package') {
    const { format } = model;
    await FORMATS[format].validatePackage(archive, limits);
    const bytes = archive.entries.values().reduce((sum, entry) => sum + entry.uncompressedBytes, 0);
    return { detectedFormat: { format }, decodedBytes: bytes };
  }
  const { modelPath } = model;
  const entry =
    archive.entries.get(modelPath) ??
    throwUnreadable('missing', `The archive has no entry ${quoteUntrusted(modelPath)}`);
  return ENTRY_VALIDATORS[model.format](archive, entry, limits);
}

async function validateZippedObj(
  archive: ZipArchive,
  modelEntry: ZipEntry,
  limits: ValidationLimits,
): Promise<ZipValidationResult> {
  const triangulationBytes = await validateObj(archive.readBlocks(modelEntry), limits);
  const otherBytes = await validateOtherFiles(archive, modelEntry, limits);
  return {
    detectedFormat: { format: 'obj', modelPath: modelEntry.name },
    decodedBytes: modelEntry.uncompressedBytes + triangulationBytes + otherBytes,
  };
}

/** The bytes tell a GLB from a glTF, whatever the extension. */
async function validateZippedGltf(
  archive: ZipArchive,
  modelEntry: ZipEntry,
  limits: ValidationLimits,
): Promise<ZipValidationResult> {
  assertWithinLimit('archiveBuffers', modelEntry.uncompressedBytes, limits);
  const bytes = await readEntry(archive, modelEntry);
  if (bytes.toString('latin1', 0, 4) === 'glTF') {
    const content = await validateGlbInArchive(createBufferReader(bytes), limits, (json) =>
      readExternalFiles(archive, { modelEntry, json, limits }),
    );
    await validateOtherFiles(archive, modelEntry, limits);
    return { detectedFormat: { format: 'glb', modelPath: modelEntry.name }, ...content };
  }
  assertWithinLimit('gltfBytes', modelEntry.uncompressedBytes, limits);
  const json = parseUntrustedJson(bytes, limits);
  const { externalFiles, bytes: externalBytes } = await readExternalFiles(archive, {
    modelEntry,
    json,
    limits,
  });
  const content = await validateGltfDocument(
    { json, totalBytes: modelEntry.uncompressedBytes + externalBytes, externalFiles },
    limits,
  );
  return { detectedFormat: { format: 'gltf', modelPath: modelEntry.name }, ...content };
}

/** Checks that the other entries are not damaged, and that images are not too large. Returns their decoded bytes. */
async function validateOtherFiles(
  archive: ZipArchive,
  modelEntry: ZipEntry,
  limits: ValidationLimits,
): Promise<number> {
  let decodedBytes = 0;
  for (const entry of archive.entries.values()) {
    if (entry === modelEntry) continue;
    const head = await readEntryHead(archive, entry, IMAGE_HEADER_BYTES);
    const size = findImageSize(head)?.size;
    decodedBytes += size === undefined ? entry.uncompressedBytes : 4 * size.pixelCount;
    if (size === undefined) continue;
    assertWithinLimit('imageSide', Math.max(size.width, size.height), limits, {
      path: quoteUntrusted(entry.name),
    });
    assertWithinLimit('pixels', size.pixelCount, limits, { path: quoteUntrusted(entry.name) });
  }
  return decodedBytes;
}

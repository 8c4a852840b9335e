import type { ModelStats } from '@cloche/contract/model-stats';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import { assertWithinLimit } from '../../validation/budgets.ts';
import { type ByteReader, createBufferReader } from '../../validation/byte-reader.ts';
import { findImageSize, IMAGE_HEADER_BYTES } from '../../validation/image-size/image-size.ts';
import { parseUntrustedJson } from '../../validation/json-scanner.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';
import { readEntry, readEntryHead } from '../../validation/zip/read-entry.ts';
import {
  openZipArchive,
  type ZipArchive,
  type ZipEntry,
} from '../../validation/zip/zip-archive.ts';
import { validate3mf } from '../3mf/validate.ts';
import { validateGlb } from '../gltf/validate.ts';
import { readExternalFiles } from '../gltf/validation/read-external-files.ts';
import { validateGltfDocument } from '../gltf/validation/validate-document.ts';
import { validateObj } from '../obj/validate.ts';
import type { DetectedFormat } from '../registry.ts';
import { findModel } from './find-model.ts';

/**
 * Validates a zip archive and the model in it. Every entry is decompressed once, because its declared
 * size and checksum may be false.
 *
 * @throws {Problem} design.unsupported, design.unreadable, design.too-complex
 */
export async function validateZip(
  file: ByteReader,
  limits: ValidationLimits,
): Promise<{ detectedFormat: DetectedFormat; stats?: ModelStats }> {
  const archive = await openZipArchive(file, limits);
  const model = findModel(archive.entries.keys());
  if (model.kind === '3mf') {
    await validate3mf(archive, limits);
    return { detectedFormat: { format: '3mf' } };
  }
  const { modelPath } = model;
  const entry =
    archive.entries.get(modelPath) ??
    throwUnreadable('missing', `The archive has no entry ${quoteUntrusted(modelPath)}`);
  if (/\.obj$/i.test(modelPath)) {
    await validateObj(archive.readBlocks(entry), limits);
    await validateOtherFiles(archive, entry, limits);
    return { detectedFormat: { format: 'obj', modelPath } };
  }
  return validateZippedGltf(archive, entry, limits);
}

async function validateZippedGltf(
  archive: ZipArchive,
  modelEntry: ZipEntry,
  limits: ValidationLimits,
): Promise<{ detectedFormat: DetectedFormat; stats?: ModelStats }> {
  assertWithinLimit('archiveBuffers', modelEntry.uncompressedBytes, limits);
  const bytes = await readEntry(archive, modelEntry);
  if (bytes.toString('latin1', 0, 4) === 'glTF') {
    const stats = await validateGlb(createBufferReader(bytes), limits);
    await validateOtherFiles(archive, modelEntry, limits);
    return { detectedFormat: { format: 'glb', modelPath: modelEntry.name }, stats };
  }
  assertWithinLimit('gltfBytes', modelEntry.uncompressedBytes, limits);
  const json = parseUntrustedJson(bytes, limits);
  const { externalFiles, bytes: externalBytes } = await readExternalFiles(archive, {
    modelEntry,
    json,
    limits,
  });
  const stats = await validateGltfDocument(
    { json, totalBytes: modelEntry.uncompressedBytes + externalBytes, externalFiles },
    limits,
  );
  return { detectedFormat: { format: 'gltf', modelPath: modelEntry.name }, stats };
}

/** Checks that the other entries are not damaged, and that images are not too large. */
async function validateOtherFiles(
  archive: ZipArchive,
  modelEntry: ZipEntry,
  limits: ValidationLimits,
): Promise<void> {
  for (const entry of archive.entries.values()) {
    if (entry === modelEntry) continue;
    const head = await readEntryHead(archive, entry, IMAGE_HEADER_BYTES);
    const size = findImageSize(head)?.size;
    if (size === undefined) continue;
    assertWithinLimit('imageSide', Math.max(size.width, size.height), limits, {
      path: quoteUntrusted(entry.name),
    });
    assertWithinLimit('pixels', size.pixelCount, limits, { path: quoteUntrusted(entry.name) });
  }
}

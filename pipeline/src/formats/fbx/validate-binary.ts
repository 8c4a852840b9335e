import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import { BinaryCursor } from '../../validation/binary-cursor.ts';
import { assertInflationRatio, assertWithinLimit, Budget } from '../../validation/budgets.ts';
import type { ByteReader } from '../../validation/byte-reader.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import { type ReferenceNode, validateReferences } from '../../validation/reference-expansion.ts';
import { PolygonCounter } from '../../validation/triangulation-cost.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';
import type { ValidatedContent } from '../../validation/validated-content.ts';
import { countPolygons, type StoredArray } from './polygon-arrays.ts';
import { FBX_HEADER_BYTES, FBX_VERSION_OFFSET, getFbxOffsetBytes } from './records.ts';
import {
  ensureLoaded,
  throwContradictoryLengths,
  validateProperties,
} from './validate-properties.ts';

/** The id that connections use for the scene. */
const SCENE_ID = '0';

type FbxContext = {
  readonly cursor: BinaryCursor;
  readonly offsetBytes: 4 | 8;
  readonly budget: Budget;
  readonly polygonArrays: StoredArray[];
  /** Models by id, each with the ids of its children. */
  readonly models: Map<string, ReferenceNode>;
  /** The records that contain the current one, outermost first. */
  readonly path: { name: string; endOffset: number }[];
  recordCount: number;
};

/** The header of a record, and its first properties if they are ids or short strings. */
type RecordHeader = { name: string; endOffset: number; firstValues: readonly string[] };

/**
 * Validates a binary FBX: the nesting of records, the size of unpacked arrays and of images, and
 * that no model is its own descendant.
 */
export async function validateBinaryFbx(
  file: ByteReader,
  limits: ValidationLimits,
): Promise<ValidatedContent> {
  const cursor = new BinaryCursor(file);
  await ensureLoaded(cursor, FBX_HEADER_BYTES);
  cursor.skip(FBX_VERSION_OFFSET);
  const models = new Map<string, ReferenceNode>([[SCENE_ID, { triangleCount: 0, references: [] }]]);
  const context: FbxContext = {
    cursor,
    offsetBytes: getFbxOffsetBytes(cursor.readUint32()),
    budget: new Budget(limits),
    polygonArrays: [],
    models,
    path: [],
    recordCount: 0,
  };
  while (await validateRecord(context));

  assertInflationRatio(context.budget.getTotal('geometryBytes'), file.size, limits);
  validateReferences(models, [SCENE_ID], limits);
  const { budget, polygonArrays } = context;
  const polygons = new PolygonCounter(limits, 'assimp');
  for (const array of polygonArrays) await countPolygons(file, array, polygons);
  const decodedBytes = budget.getTotal('geometryBytes') + 4 * budget.getTotal('pixels');
  return { decodedBytes: file.size + decodedBytes + polygons.triangulationBytes };
}

/** Validates one record, without its children; returns false after the last record. */
async function validateRecord(context: FbxContext): Promise<boolean> {
  const { cursor, path, budget } = context;
  const record = await parseRecord(context);
  if (record === undefined) {
    const parent = path.pop();
    if (parent !== undefined && parent.endOffset !== cursor.offset)
      throwContradictoryLengths(cursor);
    return parent !== undefined;
  }
  assertWithinLimit('fbxRecords', ++context.recordCount, budget.limits);
  addToHierarchy(context, record);
  if (cursor.offset < record.endOffset) {
    path.push(record);
    assertWithinLimit('fbxDepth', path.length, budget.limits);
  }
  // The empty record at the end of a list is optional.
  while (cursor.offset === path.at(-1)?.endOffset) path.pop();
  return true;
}

/** Reads a record's header and properties; undefined for the empty record that ends a list. */
async function parseRecord({
  cursor,
  offsetBytes,
  path,
  budget,
  polygonArrays,
}: FbxContext): Promise<RecordHeader | undefined> {
  const start = cursor.offset;
  // A promise for each record would take most of the time, so `isLoaded` is checked first.
  const headerBytes = 3 * offsetBytes + 1;
  if (!cursor.isLoaded(headerBytes)) await ensureLoaded(cursor, headerBytes);
  const read = () => (offsetBytes === 8 ? cursor.readUint64() : cursor.readUint32());
  const [endOffset, count, length] = [read(), read(), read()];
  const nameBytes = cursor.readUint8();
  if (endOffset === 0 && count === 0 && length === 0 && nameBytes === 0) return undefined;
  if (!cursor.isLoaded(nameBytes)) await ensureLoaded(cursor, nameBytes);
  const name = cursor.readLatin1(nameBytes);

  const parentEndOffset = path.at(-1)?.endOffset ?? cursor.size;
  const propertiesEnd = cursor.offset + length;
  if (endOffset <= start || endOffset > parentEndOffset || propertiesEnd > endOffset) {
    throwUnreadable(
      'range',
      `The record ${quoteUntrusted(name)} of the FBX file ends outside its parent record`,
    );
  }
  if (count > length) {
    throwUnreadable(
      'count',
      `The record ${quoteUntrusted(name)} of the FBX file is too short for ${count} properties`,
    );
  }
  const firstValues = await validateProperties(cursor, count, {
    recordName: name,
    endOffset: propertiesEnd,
    budget,
    polygonArrays,
  });
  return { name, endOffset, firstValues };
}

/** Records models and their connections. Objects come before connections in every valid file. */
function addToHierarchy({ models, path }: FbxContext, { name, firstValues }: RecordHeader): void {
  const section = path.length === 1 ? path[0]?.name : undefined;
  if (section === 'Objects' && name === 'Model' && firstValues[0] !== undefined) {
    models.set(firstValues[0], { triangleCount: 0, references: [] });
  } else if (section === 'Connections' && name === 'C' && firstValues[0] === 'OO') {
    const [, child = '', parent = ''] = firstValues;
    if (models.has(child)) models.get(parent)?.references.push(child);
  }
}

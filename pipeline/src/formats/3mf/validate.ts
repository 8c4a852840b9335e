import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import { assertWithinLimit } from '../../validation/budgets.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import { type ReferenceNode, validateReferences } from '../../validation/reference-expansion.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';
import { visitXmlTags, type XmlTag } from '../../validation/xml.ts';
import type { ZipArchive } from '../../validation/zip/zip-archive.ts';

/** The objects of all parts, by path and id, and the totals. */
type ModelSummary = {
  objects: Map<string, ReferenceNode>;
  /** The objects that the build section refers to. */
  buildItems: string[];
  vertexCount: number;
  triangleCount: number;
};

/** Whether the entries of a zip archive are those of a 3MF. */
export function is3mfPackage(entryNames: readonly string[]): boolean {
  return (
    entryNames.includes('[Content_Types].xml') &&
    entryNames.some((name) => /^3D\/.*\.model$/i.test(name))
  );
}

/**
 * Validates a 3MF: triangles refer to existing vertices, no component contains itself, and no
 * relationship leaves the package.
 *
 * @throws {Problem} design.unreadable, design.too-complex
 */
export async function validate3mf(archive: ZipArchive, limits: ValidationLimits): Promise<void> {
  const model: ModelSummary = {
    objects: new Map(),
    buildItems: [],
    vertexCount: 0,
    triangleCount: 0,
  };
  let modelPartCount = 0;
  for (const entry of archive.entries.values()) {
    const blocks = archive.readBlocks(entry);
    if (/\.model$/i.test(entry.name)) {
      modelPartCount++;
      await validateModelPart(`/${entry.name}`, { blocks, model, limits });
    } else if (/\.rels$/i.test(entry.name)) {
      await visitXmlTags(blocks, limits, {
        open: (tag) => validateRelationship(entry.name, tag),
      });
    } else {
      // Reading an entry to its end checks its size and its CRC.
      for await (const _ of blocks);
    }
  }
  if (modelPartCount === 0) throwUnreadable('missing', 'The 3MF contains no .model file');
  if (model.triangleCount === 0) throwUnreadable('empty', 'The 3MF has no triangles');
  validateReferences(model.objects, model.buildItems, limits);
}

type ModelPartInput = {
  blocks: AsyncIterable<Buffer>;
  model: ModelSummary;
  limits: ValidationLimits;
};

/** The current object of a model part, and its vertices so far. */
type ModelPartState = { object?: ReferenceNode; vertexCount: number; highestIndex: number };

async function validateModelPart(
  path: string,
  { blocks, model, limits }: ModelPartInput,
): Promise<void> {
  const state: ModelPartState = { vertexCount: 0, highestIndex: -1 };
  await visitXmlTags(blocks, limits, {
    open(tag) {
      switch (tag.localName) {
        case 'object':
          startObject(state, model, toObjectId(path, tag.getAttribute('id')));
          break;
        case 'vertex':
          state.vertexCount++;
          validateVertex(tag, path);
          assertWithinLimit('vertices', ++model.vertexCount, limits);
          break;
        case 'triangle':
          state.highestIndex = Math.max(state.highestIndex, parseHighestIndex(tag, path));
          if (state.object !== undefined) state.object.triangleCount++;
          assertWithinLimit('triangles', ++model.triangleCount, limits);
          break;
        case 'component':
          validateTransform(tag, path);
          state.object?.references.push(getReferencedId(path, tag));
          break;
        case 'item':
          validateTransform(tag, path);
          model.buildItems.push(getReferencedId(path, tag));
          break;
      }
    },
    close(localName) {
      if (localName !== 'mesh' || state.highestIndex < state.vertexCount) return;
      const reference = `refers to vertex ${state.highestIndex}`;
      throwUnreadable(
        'index',
        `${quoteUntrusted(path)} of the 3MF ${reference}, but the mesh has ${state.vertexCount}`,
      );
    },
  });
}

function startObject(state: ModelPartState, model: ModelSummary, id: string): void {
  if (model.objects.has(id)) {
    throwUnreadable('duplicate-id', `The 3MF has two objects ${quoteUntrusted(id)}`);
  }
  state.object = { triangleCount: 0, references: [] };
  state.vertexCount = 0;
  state.highestIndex = -1;
  model.objects.set(id, state.object);
}

/** In the production extension, whatever its prefix, a reference has the path of its part. */
function getReferencedId(path: string, tag: XmlTag): string {
  return toObjectId(tag.getAttribute('path') ?? path, tag.getAttribute('objectid'));
}

/** Makes an id unique in the package: with the path of its part. */
function toObjectId(path: string, id = ''): string {
  return `${path} ${id}`;
}

function validateVertex(tag: XmlTag, path: string): void {
  for (const name of ['x', 'y', 'z']) {
    if (Number.isFinite(Math.fround(Number(tag.getAttribute(name) || NaN)))) continue;
    throwUnreadable(
      'not-finite',
      `${quoteUntrusted(path)} of the 3MF has a coordinate that is not a finite number`,
    );
  }
}

/** Transforms are read as doubles, but written as 32-bit floats. */
function validateTransform(tag: XmlTag, path: string): void {
  const values = tag.getAttribute('transform')?.trim().split(/\s+/) ?? [];
  if (values.every((value) => Number.isFinite(Math.fround(Number(value))))) return;
  throwUnreadable(
    'transform',
    `${quoteUntrusted(path)} of the 3MF has a transform with a number that is not finite, or beyond the range of 32-bit floats`,
  );
}

function parseHighestIndex(tag: XmlTag, path: string): number {
  let highest = -1;
  for (const name of ['v1', 'v2', 'v3']) {
    const index = tag.getAttribute(name) ?? '';
    if (!/^\s*\d{1,10}\s*$/.test(index)) {
      throwUnreadable('index', `${quoteUntrusted(path)} of the 3MF has an invalid triangle`);
    }
    highest = Math.max(highest, Number(index));
  }
  return highest;
}

function validateRelationship(entryName: string, tag: XmlTag): void {
  if (tag.localName !== 'Relationship') return;
  const target = tag.getAttribute('Target') ?? '';
  const isExternal = /^external$/i.test(tag.getAttribute('TargetMode') ?? '');
  if (!isExternal && !/^[a-z][a-z+.-]*:|^\/\//i.test(target)) return;
  throwUnreadable(
    'uri',
    `${quoteUntrusted(entryName)} of the 3MF refers to ${quoteUntrusted(target)}, which is not in the package`,
  );
}

import { assertWithinLimit, type ValidationLimits } from '../../validation/budgets.ts';
import { quoteUntrusted } from '../../validation/quote-untrusted.ts';
import { type ReferenceNode, validateReferences } from '../../validation/reference-expansion.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';
import { getRawAttribute, visitXmlTags } from '../../validation/xml-tag-visitor.ts';
import type { ZipArchive } from '../../validation/zip/zip-archive.ts';

/** What all parts of the package have, by part and id. */
type ModelSummary = {
  objects: Map<string, ReferenceNode>;
  /** What is built. */
  buildItems: string[];
  vertexCount: number;
  triangleCount: number;
};

/**
 * Checks a 3MF: corners that exist, components that do not hold themselves, and no part that is
 * elsewhere than in the package.
 */
export async function validate3mf(archive: ZipArchive, limits: ValidationLimits): Promise<void> {
  const model: ModelSummary = {
    objects: new Map(),
    buildItems: [],
    vertexCount: 0,
    triangleCount: 0,
  };
  let models = 0;
  for (const entry of archive.entries.values()) {
    const blocks = archive.readBlocks(entry);
    if (/\.model$/i.test(entry.name)) {
      models++;
      await parseModelPart(`/${entry.name}`, { blocks, model, limits });
    } else if (/\.rels$/i.test(entry.name)) {
      await visitXmlTags(blocks, limits, {
        open: (name, tag) => validateRelationship(entry.name, name, tag),
      });
    } else {
      for await (const _ of blocks);
    }
  }
  if (models === 0) throwUnreadable('missing', 'The 3MF has no .model in it');
  if (model.triangleCount === 0) throwUnreadable('empty', 'The 3MF has no triangles');
  validateReferences(model.objects, model.buildItems, limits);
}

type ModelPartInput = {
  blocks: AsyncIterable<Buffer>;
  model: ModelSummary;
  limits: ValidationLimits;
};

async function parseModelPart(
  path: string,
  { blocks, model, limits }: ModelPartInput,
): Promise<void> {
  /** The production extension, whatever its prefix, takes objects from other parts. */
  const idOf = (tag: string) => {
    const [, prefix] = /\s([\w.-]+:)path\s*=/.exec(tag) ?? [];
    const from = prefix === undefined ? path : getRawAttribute(tag, `${prefix}path`);
    return `${from} ${getRawAttribute(tag, 'objectid') ?? ''}`;
  };
  let object: ReferenceNode | undefined;
  let vertices = 0;
  let highest = -1;
  await visitXmlTags(blocks, limits, {
    open(qualified, tag) {
      switch (getLocalName(qualified)) {
        case 'object': {
          const id = `${path} ${getRawAttribute(tag, 'id') ?? ''}`;
          if (model.objects.has(id))
            throwUnreadable('duplicate-id', `The 3MF has two objects ${quoteUntrusted(id)}`);
          object = { triangleCount: 0, references: [] };
          model.objects.set(id, object);
          vertices = 0;
          highest = -1;
          break;
        }
        case 'vertex':
          vertices++;
          validateVertex(tag, path);
          assertWithinLimit('vertices', ++model.vertexCount, limits);
          break;
        case 'triangle':
          highest = Math.max(highest, parseHighestIndex(tag, path));
          if (object !== undefined) object.triangleCount++;
          assertWithinLimit('triangles', ++model.triangleCount, limits);
          break;
        case 'component':
          object?.references.push(idOf(tag));
          break;
        case 'item':
          model.buildItems.push(idOf(tag));
          break;
      }
    },
    close(qualified) {
      if (getLocalName(qualified) !== 'mesh' || highest < vertices) return;
      throwUnreadable(
        'index',
        `${quoteUntrusted(path)} of the 3MF points at vertex ${highest} of ${vertices}`,
      );
    },
  });
}

function validateVertex(tag: string, path: string): void {
  for (const name of ['x', 'y', 'z']) {
    if (Number.isFinite(Math.fround(Number(getRawAttribute(tag, name) || 'none')))) continue;
    throwUnreadable('not-finite', `${quoteUntrusted(path)} of the 3MF has a vertex at no place`);
  }
}

function parseHighestIndex(tag: string, path: string): number {
  let highest = -1;
  for (const name of ['v1', 'v2', 'v3']) {
    const index = getRawAttribute(tag, name) ?? '';
    if (!/^\s*\d{1,10}\s*$/.test(index))
      throwUnreadable('index', `${quoteUntrusted(path)} of the 3MF has a broken triangle`);
    highest = Math.max(highest, Number(index));
  }
  return highest;
}

function validateRelationship(entry: string, name: string, tag: string): void {
  if (getLocalName(name) !== 'Relationship') return;
  const target = getRawAttribute(tag, 'Target') ?? '';
  const isOutside = /^external$/i.test(getRawAttribute(tag, 'TargetMode') ?? '');
  if (!isOutside && !/^[a-z][a-z+.-]*:|^\/\//i.test(target)) return;
  throwUnreadable(
    'uri',
    `${quoteUntrusted(entry)} of the 3MF takes ${quoteUntrusted(target)}, which is not in the package`,
  );
}

function getLocalName(name: string): string {
  const colon = name.indexOf(':');
  return colon === -1 ? name : name.slice(colon + 1);
}

import type { Archive } from '../archive/archive.ts';
import { damaged } from '../damaged.ts';
import { type Limits, limit } from '../limits.ts';
import { quote } from '../quote.ts';
import { checkUnfolding, type Fold } from './unfold.ts';
import { attributeOf, eachTag } from './xml.ts';

/** What all parts of the package have, by part and id. */
type Model = {
  objects: Map<string, Fold>;
  /** What is built. */
  items: string[];
  vertices: number;
  triangles: number;
};

/**
 * Checks a 3MF: corners that exist, components that do not hold themselves, and no part that is
 * elsewhere than in the package.
 */
export async function check3mf(archive: Archive, limits: Limits): Promise<void> {
  const model: Model = { objects: new Map(), items: [], vertices: 0, triangles: 0 };
  let models = 0;
  for (const entry of archive.entries.values()) {
    const blocks = archive.blocks(entry);
    if (/\.model$/i.test(entry.name)) {
      models++;
      await readModel(`/${entry.name}`, { blocks, model, limits });
    } else if (/\.rels$/i.test(entry.name)) {
      await eachTag(blocks, limits, {
        open: (name, tag) => checkRelationship(entry.name, name, tag),
      });
    } else {
      for await (const _ of blocks);
    }
  }
  if (models === 0) damaged('missing', 'The 3MF has no .model in it');
  if (model.triangles === 0) damaged('empty', 'The 3MF has no triangles');
  checkUnfolding(model.objects, model.items, limits);
}

type Part = { blocks: AsyncIterable<Buffer>; model: Model; limits: Limits };

async function readModel(path: string, { blocks, model, limits }: Part): Promise<void> {
  /** The production extension, whatever its prefix, takes objects from other parts. */
  const idOf = (tag: string) => {
    const [, prefix] = /\s([\w.-]+:)path\s*=/.exec(tag) ?? [];
    const from = prefix === undefined ? path : attributeOf(tag, `${prefix}path`);
    return `${from} ${attributeOf(tag, 'objectid') ?? ''}`;
  };
  let object: Fold | undefined;
  let vertices = 0;
  let highest = -1;
  await eachTag(blocks, limits, {
    open(qualified, tag) {
      switch (localName(qualified)) {
        case 'object': {
          const id = `${path} ${attributeOf(tag, 'id') ?? ''}`;
          if (model.objects.has(id))
            damaged('duplicate-id', `The 3MF has two objects ${quote(id)}`);
          object = { triangles: 0, parts: [] };
          model.objects.set(id, object);
          vertices = 0;
          highest = -1;
          break;
        }
        case 'vertex':
          vertices++;
          checkNumbers(tag, path);
          limit('vertices', ++model.vertices, limits);
          break;
        case 'triangle':
          highest = Math.max(highest, highestOf(tag, path));
          if (object !== undefined) object.triangles++;
          limit('triangles', ++model.triangles, limits);
          break;
        case 'component':
          object?.parts.push(idOf(tag));
          break;
        case 'item':
          model.items.push(idOf(tag));
          break;
      }
    },
    close(qualified) {
      if (localName(qualified) !== 'mesh' || highest < vertices) return;
      damaged('index', `${quote(path)} of the 3MF points at vertex ${highest} of ${vertices}`);
    },
  });
}

function checkNumbers(tag: string, path: string): void {
  for (const name of ['x', 'y', 'z']) {
    if (Number.isFinite(Math.fround(Number(attributeOf(tag, name) || 'none')))) continue;
    damaged('not-finite', `${quote(path)} of the 3MF has a vertex at no place`);
  }
}

function highestOf(tag: string, path: string): number {
  let highest = -1;
  for (const name of ['v1', 'v2', 'v3']) {
    const index = attributeOf(tag, name) ?? '';
    if (!/^\s*\d{1,10}\s*$/.test(index))
      damaged('index', `${quote(path)} of the 3MF has a broken triangle`);
    highest = Math.max(highest, Number(index));
  }
  return highest;
}

function checkRelationship(entry: string, name: string, tag: string): void {
  if (localName(name) !== 'Relationship') return;
  const target = attributeOf(tag, 'Target') ?? '';
  const isOutside = /^external$/i.test(attributeOf(tag, 'TargetMode') ?? '');
  if (!isOutside && !/^[a-z][a-z+.-]*:|^\/\//i.test(target)) return;
  damaged('uri', `${quote(entry)} of the 3MF takes ${quote(target)}, which is not in the package`);
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon === -1 ? name : name.slice(colon + 1);
}

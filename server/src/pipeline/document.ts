import { readExtensions } from './extensions.ts';
import { type Limits, limit } from './limits.ts';
import { Part } from './part.ts';

const LISTS = [
  'accessors',
  'animations',
  'buffers',
  'bufferViews',
  'cameras',
  'images',
  'materials',
  'meshes',
  'nodes',
  'samplers',
  'scenes',
  'skins',
  'textures',
] as const;

type List = (typeof LISTS)[number];

/** The JSON of a glTF, its top-level lists taken apart, its items known to be objects. */
export type Document = { readonly [list in List]: readonly Part[] } & {
  readonly root: Part;
  /** Names of the extensions used, sorted. */
  readonly extensions: readonly string[];
};

/**
 * Takes the JSON apart and checks what concerns all of it.
 *
 * @throws {Problem} design.unreadable, design.too-complex
 */
export function openDocument(json: unknown, limits: Limits): Document {
  const root = new Part(json).object();
  checkVersion(root);
  const extensions = readExtensions(root);
  limit('nodes', root.find('nodes')?.items().length ?? 0, limits);
  checkValues(root, false);

  const lists = LISTS.map((name) => [name, root.find(name)?.items().map(checkItem) ?? []]);
  return { ...(Object.fromEntries(lists) as Record<List, Part[]>), root, extensions };
}

function checkVersion(root: Part): void {
  const asset = root.get('asset').object();
  const version = asset.get('version');
  if (!/^2\.\d{1,3}$/.test(version.text())) version.fail('version', 'is not "2.0"');
  const least = asset.find('minVersion');
  if (least !== undefined && least.text() !== '2.0') {
    least.fail('version', 'asks for a reader of a later version than 2.0');
  }
}

function checkItem(item: Part): Part {
  const name = item.object().find('name');
  if (name !== undefined && name.value !== null) name.text();
  return item;
}

/**
 * Walks every value: numbers are finite (1e999 parses to Infinity), no key reaches for a prototype,
 * and outside `extras` no `uri` leaves the file, whichever extension it belongs to.
 * Recursion is safe: the depth of the JSON is bounded by now.
 */
function checkValues(part: Part, isExtra: boolean): void {
  for (const [key, value] of Object.entries(part.value as object)) {
    if (key === '__proto__') part.fail('proto-key', 'has the key __proto__');
    if (typeof value === 'number' && !Number.isFinite(value)) {
      child(part, key, value).fail('not-finite', 'is too large for a number');
    }
    if (key === 'uri' && !isExtra && typeof value === 'string' && !/^data:/i.test(value)) {
      child(part, key, value).fail(
        'uri',
        'points out of the file; only data: URIs are read, so export the design as one .glb',
      );
    }
    if (typeof value === 'object' && value !== null) {
      checkValues(child(part, key, value), isExtra || key === 'extras');
    }
  }
}

function child(parent: Part, key: string, value: unknown): Part {
  return new Part(value, parent, Array.isArray(parent.value) ? Number(key) : key);
}

import { readExtensions } from './extensions.ts';
import type { Json } from './json.ts';
import { type Limits, limit } from './limits.ts';
import { Part } from './part.ts';
import type { Siblings } from './siblings.ts';
import { checkValues } from './values.ts';

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
export function openDocument(json: Json, limits: Limits, siblings?: Siblings): Document {
  const root = new Part(json.value).object();
  limit('nodes', root.find('nodes')?.items().length ?? 0, limits);
  checkValues(root, json.keys, siblings);
  checkVersion(root);
  const extensions = readExtensions(root);

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

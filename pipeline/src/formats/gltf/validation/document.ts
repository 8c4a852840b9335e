import { assertWithinLimit } from '../../../validation/budgets.ts';
import { JsonNode } from '../../../validation/json-node.ts';
import type { ParsedJson } from '../../../validation/json-scanner.ts';
import type { ValidationLimits } from '../../../validation/limits.ts';
import { parseExtensions } from './extensions.ts';
import type { ExternalFiles } from './external-files.ts';
import { validateJsonValues } from './json-values.ts';

const TOP_LEVEL_ARRAYS = [
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

type TopLevelArray = (typeof TOP_LEVEL_ARRAYS)[number];

/** The JSON of a glTF as top-level lists whose items are objects. */
export type GltfDocument = { readonly [list in TopLevelArray]: readonly JsonNode[] } & {
  readonly root: JsonNode;
  /** Names of the extensions used, sorted. */
  readonly extensionsUsed: readonly string[];
};

/**
 * Splits the JSON into its top-level lists, after the checks that apply to all values.
 *
 * @throws {Problem} design.unreadable, design.too-complex
 */
export function parseDocument(
  json: ParsedJson,
  limits: ValidationLimits,
  externalFiles?: ExternalFiles,
): GltfDocument {
  const root = new JsonNode(json.value).object();
  assertWithinLimit('nodes', root.find('nodes')?.items().length ?? 0, limits);
  validateJsonValues(root, json.keyCount, externalFiles);
  validateVersion(root);
  const extensionsUsed = parseExtensions(root);

  const lists = TOP_LEVEL_ARRAYS.map((name) => [
    name,
    root.find(name)?.items().map(validateItem) ?? [],
  ]);
  return {
    ...(Object.fromEntries(lists) as Record<TopLevelArray, JsonNode[]>),
    root,
    extensionsUsed,
  };
}

function validateVersion(root: JsonNode): void {
  const asset = root.get('asset').object();
  const version = asset.get('version');
  if (!/^2\.\d{1,3}$/.test(version.string())) version.fail('version', 'is not "2.0"');
  const minVersion = asset.find('minVersion');
  if (minVersion !== undefined && minVersion.string() !== '2.0') {
    minVersion.fail('version', 'requires a later version than 2.0');
  }
}

function validateItem(item: JsonNode): JsonNode {
  const name = item.object().find('name');
  if (name !== undefined && name.value !== null) name.string();
  return item;
}

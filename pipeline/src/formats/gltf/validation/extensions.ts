import { RENDERED_GLTF_EXTENSIONS } from '@cloche/contract/gltf-extensions';
import type { JsonNode } from '../../../validation/json-node.ts';

/** Extensions that the pipeline decodes, so that the viewer does not have to support them. */
export const DECODED_EXTENSIONS: ReadonlySet<string> = new Set(['KHR_draco_mesh_compression']);

/** Extensions whose content the import converts to features that the viewer renders. */
export const CONVERTED_EXTENSIONS: ReadonlySet<string> = new Set([
  'KHR_materials_pbrSpecularGlossiness',
  'KHR_node_visibility',
]);

const SUPPORTED_EXTENSIONS: ReadonlySet<string> = new Set([
  ...RENDERED_GLTF_EXTENSIONS,
  ...DECODED_EXTENSIONS,
  ...CONVERTED_EXTENSIONS,
]);

/** Reads the names in `extensionsUsed`, sorted and without duplicates. */
export function parseExtensions(root: JsonNode): string[] {
  const used = new Set(parseExtensionNames(root, 'extensionsUsed'));
  for (const [index, name] of parseExtensionNames(root, 'extensionsRequired').entries()) {
    const json = root.get('extensionsRequired').items()[index] ?? root;
    if (!SUPPORTED_EXTENSIONS.has(name)) {
      json.fail('extension-unsupported', `is ${name}, which Cloche cannot render`);
    }
    if (!used.has(name))
      json.fail('extension-undeclared', `is ${name}, which is not in extensionsUsed`);
  }
  return [...used].sort();
}

function parseExtensionNames(root: JsonNode, key: string): string[] {
  const items = root.find(key)?.items() ?? [];
  if (items.length > 200) root.get(key).fail('length', 'has more than 200 names');
  return items.map((item) => {
    const name = item.string();
    // Names are displayed and stored in statistics.
    if (!/^[\w.-]{1,80}$/.test(name)) item.fail('name', 'is not the name of an extension');
    return name;
  });
}

/** Finds the first of these extensions that the JSON value has. */
export function findExtension(json: JsonNode, ...names: string[]): JsonNode | undefined {
  const extensions = json.find('extensions');
  for (const name of names) {
    const found = extensions?.find(name);
    if (found !== undefined) return found.object();
  }
  return undefined;
}

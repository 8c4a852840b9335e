import { RENDERED_GLTF_EXTENSIONS } from '@cloche/contract/gltf-extensions';
import type { JsonNode } from '../../../validation/json-node.ts';

/** Reads what extensions the file says it uses, sorted, each once. */
export function parseExtensions(root: JsonNode): string[] {
  const used = new Set(parseExtensionNames(root, 'extensionsUsed'));
  for (const [at, name] of parseExtensionNames(root, 'extensionsRequired').entries()) {
    const part = root.get('extensionsRequired').items()[at] ?? root;
    if (!RENDERED_GLTF_EXTENSIONS.has(name)) {
      part.fail('extension-unsupported', `is ${name}, which Cloche cannot show`);
    }
    if (!used.has(name)) part.fail('extension-undeclared', `is ${name}, not in extensionsUsed`);
  }
  return [...used].sort();
}

function parseExtensionNames(root: JsonNode, key: string): string[] {
  const items = root.find(key)?.items() ?? [];
  if (items.length > 200) root.get(key).fail('length', 'has more than 200 names');
  return items.map((item) => {
    const name = item.string();
    // Shown to people and kept in statistics, so no more than a name.
    if (!/^[\w.-]{1,80}$/.test(name)) item.fail('name', 'is not the name of an extension');
    return name;
  });
}

/** The extension's object on this part, if it is there. */
export function findExtension(part: JsonNode, ...names: string[]): JsonNode | undefined {
  const extensions = part.find('extensions');
  for (const name of names) {
    const found = extensions?.find(name);
    if (found !== undefined) return found.object();
  }
  return undefined;
}

import type { JsonNode } from '../../../validation/json-node.ts';

/** What the viewer draws as meant; any other extension that a file *requires* is refused. */
export const RENDERED_EXTENSIONS: ReadonlySet<string> = new Set([
  'EXT_materials_bump',
  'EXT_mesh_gpu_instancing',
  'EXT_meshopt_compression',
  'EXT_texture_avif',
  'EXT_texture_webp',
  'KHR_draco_mesh_compression',
  'KHR_lights_punctual',
  'KHR_materials_anisotropy',
  'KHR_materials_clearcoat',
  'KHR_materials_diffuse_roughness',
  'KHR_materials_dispersion',
  'KHR_materials_emissive_strength',
  'KHR_materials_ior',
  'KHR_materials_iridescence',
  'KHR_materials_sheen',
  'KHR_materials_specular',
  'KHR_materials_transmission',
  'KHR_materials_unlit',
  'KHR_materials_variants',
  'KHR_materials_volume',
  'KHR_mesh_quantization',
  'KHR_meshopt_compression',
  'KHR_texture_basisu',
  'KHR_texture_transform',
  // Metadata: nothing to draw.
  'KHR_xmp',
  'KHR_xmp_json_ld',
]);

/** Reads what extensions the file says it uses, sorted, each once. */
export function parseExtensions(root: JsonNode): string[] {
  const used = new Set(parseExtensionNames(root, 'extensionsUsed'));
  for (const [at, name] of parseExtensionNames(root, 'extensionsRequired').entries()) {
    const part = root.get('extensionsRequired').items()[at] ?? root;
    if (!RENDERED_EXTENSIONS.has(name)) {
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

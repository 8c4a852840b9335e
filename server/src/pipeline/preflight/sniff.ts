/** What bytes look like: a stable word for machines, and a name for people. */
export type Look = { kind: string; name: string };

const MAGIC: readonly [magic: string, kind: string, name: string][] = [
  ['PK\x03\x04', 'zip', 'a zip archive (3MF, USDZ and packed glTF are such)'],
  ['Kaydara FBX Binary', 'fbx', 'FBX'],
  ['; FBX', 'fbx', 'FBX'],
  ['ply\n', 'ply', 'PLY'],
  ['ply\r', 'ply', 'PLY'],
  ['solid', 'stl', 'STL'],
  ['ISO-10303-21', 'step', 'STEP or IFC'],
  ['BLENDER', 'blend', 'a Blender file'],
  ['\x89PNG\r\n\x1a\n', 'png', 'a PNG image'],
  ['\xff\xd8\xff', 'jpeg', 'a JPEG image'],
  ['GIF8', 'gif', 'a GIF image'],
  ['RIFF', 'riff', 'a WebP image or a sound'],
  ['%PDF', 'pdf', 'a PDF'],
  ['\x1f\x8b', 'gzip', 'a gzip file; upload what is in it'],
  ['\x28\xb5\x2f\xfd', 'zstd', 'a Zstandard file; upload what is in it'],
  ['7z\xbc\xaf', '7z', 'a 7-Zip archive'],
  ['Rar!', 'rar', 'a RAR archive'],
  ['#usda', 'usd', 'USD'],
  ['PXR-USDC', 'usd', 'USD'],
  ['DRACO', 'draco', 'bare Draco data'],
];

const TEXT: readonly [pattern: RegExp, kind: string, name: string][] = [
  [/^\s*\{/, 'gltf', 'JSON, perhaps a .gltf; export it as .glb instead'],
  [/<COLLADA/i, 'dae', 'COLLADA'],
  [/^\s*<(!doctype html|html)/i, 'html', 'a web page, not the file behind its link'],
  [/^\s*<\?xml/, 'xml', 'XML'],
  [/^\s*(#[^\n]*\n\s*)*(mtllib|o|g|v|vn|vt) \S/, 'obj', 'OBJ'],
];

/**
 * Tells what a file that is no GLB looks like.
 *
 * @param head the first bytes; 512 are enough
 * @param size of the whole file: binary STL has no magic, but its size follows from its count
 */
export function sniff(head: Buffer, size: number): Look {
  const text = head.toString('latin1');
  for (const [magic, kind, name] of MAGIC) if (text.startsWith(magic)) return { kind, name };
  for (const [pattern, kind, name] of TEXT) if (pattern.test(text)) return { kind, name };
  if (head.length >= 84 && 84 + 50 * head.readUInt32LE(80) === size) {
    return { kind: 'stl', name: 'binary STL' };
  }
  return { kind: 'unknown', name: 'none of the formats we know' };
}

import { isBinaryStl, isPlausibleBinaryStl } from './stl/binary-stl.ts';

/** A detected format: `kind` is a stable identifier, `label` is for people. */
export type SniffResult = { kind: string; label: string };

const SIGNATURES: readonly [magic: string, kind: string, name: string][] = [
  ['glTF', 'glb', 'GLB'],
  ['PK\x03\x04', 'zip', 'a zip archive (such as 3MF, USDZ or a packed glTF)'],
  ['PK\x05\x06', 'zip', 'an empty zip archive'],
  ['Kaydara FBX Binary', 'fbx', 'FBX'],
  ['ply\n', 'ply', 'PLY'],
  ['ply\r', 'ply', 'PLY'],
  ['BLENDER', 'blend', 'a Blender file; export it as glTF'],
  ['\x89PNG\r\n\x1a\n', 'png', 'a PNG image'],
  ['\xff\xd8\xff', 'jpeg', 'a JPEG image'],
  ['GIF8', 'gif', 'a GIF image'],
  ['RIFF', 'riff', 'a WebP image or a sound'],
  ['DDS ', 'dds', 'a DDS image'],
  ['%PDF', 'pdf', 'a PDF'],
  ['\x1f\x8b', 'gzip', 'a gzip file; upload its contents'],
  ['\x28\xb5\x2f\xfd', 'zstd', 'a Zstandard file; upload its contents'],
  ['7z\xbc\xaf', '7z', 'a 7-Zip archive; pack it as zip'],
  ['Rar!', 'rar', 'a RAR archive; pack it as zip'],
  ['#usda', 'usd', 'USD; export it as glTF'],
  ['PXR-USDC', 'usd', 'USD; export it as glTF'],
  ['DRACO', 'draco', 'Draco data without a glTF'],
  ['b3dm', '3d-tiles', 'a tile of 3D Tiles'],
  ['3D Geometry File Format', '3dm', 'a Rhino file; export it as STEP or OBJ'],
  ['\xff\xfe\xff\x0eS\0k\0e\0t\0c\0h\0U\0p', 'skp', 'a SketchUp file; export it as glTF'],
  ['\xd0\xcf\x11\xe0', 'ole', 'a SolidWorks, Inventor or 3ds Max file; export it as STEP or glTF'],
  ['**ABCDEF', 'parasolid', 'Parasolid; export it as STEP'],
  ['AC10', 'dwg', 'a drawing (DWG); export it as STEP'],
  ['#VRML', 'vrml', 'VRML; export it as glTF'],
  ['\xff\xfe', 'utf-16', 'text in UTF-16; save it as UTF-8'],
  ['\xfe\xff', 'utf-16', 'text in UTF-16; save it as UTF-8'],
];

const TEXT_PATTERNS: readonly [pattern: RegExp, kind: string, name: string][] = [
  [/^\s*\{/, 'gltf', 'JSON, perhaps a .gltf'],
  [/^\s*ISO-10303-21[\s\S]*FILE_SCHEMA\s*\(\s*\(\s*'IFC/i, 'ifc', 'IFC'],
  [/^\s*ISO-10303-21/, 'step', 'STEP or IFC'],
  [/^\s*(; FBX|FBXHeaderExtension\s*:)/, 'fbx', 'FBX'],
  [/^\s*(DBRep_DrawableShape|CASCADE Topology V\d)/, 'brep', 'BREP'],
  [/^\s*Open CASCADE Topology V/, 'brep-binary', 'a binary BREP; write it as text, or as STEP'],
  [/^[^\r\n]{72}S *0*1 *[\r\n]/, 'iges', 'IGES'],
  [/^[^\r\n]{72}C *0*1 *[\r\n]/, 'iges-packed', 'compressed IGES; write it as plain ASCII'],
  [/<COLLADA/i, 'dae', 'COLLADA'],
  [/^\s*<(!doctype html|html)/i, 'html', 'a web page, not the file behind its link'],
  [/<svg[\s>]/i, 'svg', 'an SVG image'],
  [/<X3D[\s>]/i, 'x3d', 'X3D; export it as glTF'],
  [/<amf[\s>]/i, 'amf', 'AMF; export it as 3MF'],
  [/^\s*<\?xml/, 'xml', 'XML'],
  [/^\s*0\r?\n\s*SECTION/, 'dxf', 'a drawing (DXF); export it as STEP'],
  [/^\s*(#[^\n]*\n\s*)*(mtllib|usemtl|o|g|s|v|vn|vt|vp)[ \t]\S/, 'obj', 'OBJ'],
];

const BYTE_ORDER_MARK = '\xef\xbb\xbf';

/**
 * Detects the format of a file by its bytes.
 *
 * @param head the first bytes: 64 KiB are enough for all formats, 512 for most
 * @param size of the whole file: binary STL has no signature, but its size follows from its count
 */
export function sniff(head: Buffer, size: number): SniffResult {
  const bytes = head.toString('latin1');
  for (const [magic, kind, label] of SIGNATURES)
    if (bytes.startsWith(magic)) return { kind, label };
  // Before text formats: the 80 bytes of its header often start with "solid".
  if (isBinaryStl(head, size)) return { kind: 'stl', label: 'binary STL' };
  const text = bytes.startsWith(BYTE_ORDER_MARK) ? bytes.slice(BYTE_ORDER_MARK.length) : bytes;
  if (/^\s*solid\b/i.test(text)) return { kind: 'stl', label: 'STL' };
  for (const [pattern, kind, label] of TEXT_PATTERNS)
    if (pattern.test(text)) return { kind, label };
  if (isPlausibleBinaryStl(head)) return { kind: 'stl', label: 'binary STL' };
  return { kind: 'unknown', label: 'an unknown format' };
}

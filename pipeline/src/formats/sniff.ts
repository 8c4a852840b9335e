import { type FileHead, hasSignature, type SniffEvidence } from '../validation/file-head.ts';
import { type Format, listFormats } from './registry.ts';

/** A detected format: `kind` is a stable identifier, `label` is for people. */
export type SniffResult = {
  kind: string;
  label: string;
  /** Undefined for what is not a supported format. The format of an archive is found in it. */
  format?: Format;
};

/**
 * The order of the checks. A file often passes several: the header of a binary STL may be any text,
 * and XML, HTML and OBJ are recognized by what may occur in other texts, too.
 */
const CHECK_ORDER: readonly SniffEvidence[] = [
  'signature',
  'size',
  'keyword',
  'columns',
  'tag',
  'statement',
  'plausible',
];

type Row<Pattern> = readonly [pattern: Pattern, kind: string, label: string];

/** Signatures of what is not a supported format. */
const OTHER_SIGNATURES: readonly Row<string>[] = [
  ['PK\x03\x04', 'zip', 'a zip archive (such as 3MF, USDZ or a packed glTF)'],
  ['PK\x05\x06', 'zip', 'an empty zip archive'],
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

/** Texts that are not a supported format, by their evidence. */
const OTHER_TEXTS: { readonly [evidence in SniffEvidence]?: readonly Row<RegExp>[] } = {
  keyword: [
    [/^\s*Open CASCADE Topology V/, 'brep-binary', 'a binary BREP; write it as text, or as STEP'],
  ],
  columns: [
    [/^[^\r\n]{72}C *0*1 *[\r\n]/, 'iges-packed', 'compressed IGES; write it as plain ASCII'],
  ],
  tag: [
    [/^\s*<(!doctype html|html)/i, 'html', 'a web page, not the file behind its link'],
    [/<svg[\s>]/i, 'svg', 'an SVG image'],
    [/<X3D[\s>]/i, 'x3d', 'X3D; export it as glTF'],
    [/<amf[\s>]/i, 'amf', 'AMF; export it as 3MF'],
    [/^\s*<\?xml/, 'xml', 'XML'],
    [/^\s*0\r?\n\s*SECTION/, 'dxf', 'a drawing (DXF); export it as STEP'],
  ],
};

/** Detects the format of a file by its first bytes. */
export function sniff(head: FileHead): SniffResult {
  const formats = listFormats().map(([format, { name, sniff: sniffFormat }]) => ({
    result: { kind: format, label: name, format },
    evidence: sniffFormat?.(head),
  }));
  for (const evidence of CHECK_ORDER) {
    const found =
      formats.find((candidate) => candidate.evidence === evidence)?.result ??
      sniffOther(head, evidence);
    if (found !== undefined) return found;
  }
  return { kind: 'unknown', label: 'an unknown format' };
}

function sniffOther(head: FileHead, evidence: SniffEvidence): SniffResult | undefined {
  const row =
    evidence === 'signature'
      ? OTHER_SIGNATURES.find(([signature]) => hasSignature(head, signature))
      : OTHER_TEXTS[evidence]?.find(([pattern]) => pattern.test(head.text));
  return row && { kind: row[1], label: row[2] };
}

import { makePng } from '../png.ts';
import { type HostileFile, toHostileFiles } from './hostile-file.ts';
import { listValidFiles } from './valid-files.ts';

/** Files of unsupported formats, and truncated valid files. */
export function listUnsupportedAndTruncatedFiles(): HostileFile[] {
  const truncatedFiles = listValidFiles().map(({ name, bytes }): HostileFile => {
    // An OBJ has no end marker, so a truncated OBJ may be valid.
    const expectedOutcome = name === 'an OBJ' ? 'any' : '4xx';
    return {
      name: `truncated: ${name}`,
      make: () => bytes.subarray(0, bytes.length * 0.6),
      expectedOutcome,
    };
  });
  return [
    ...toHostileFiles('not a model', [
      ['no bytes', () => ''],
      ['one byte', () => '{'],
      ['zeros', () => Buffer.alloc(1e6)],
      ['spaces', () => ' '.repeat(1e6)],
      ['a Blender file', () => 'BLENDER-v300'],
      ['a 7-Zip archive', () => Buffer.from('7z\xbc\xaf\x27\x1c', 'latin1')],
      ['a RAR archive', () => 'Rar!\x1a\x07'],
      ['a gzip file', () => Buffer.from('\x1f\x8b\x08', 'latin1')],
      ['USD', () => '#usda 1.0\n'],
      ['a web page', () => '<!doctype html><script src="//evil.test"></script>'],
      ['an SVG', () => '<?xml version="1.0"?><svg onload="alert(1)"/>'],
      ['a PNG', () => makePng(2, 2, [0, 0, 0])],
      ['a PDF', () => '%PDF-1.7'],
      ['a program', () => Buffer.from('\x7fELF\x02\x01\x01', 'latin1')],
      ['a Rhino file', () => '3D Geometry File Format       50'],
      ['a SolidWorks file', () => Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'latin1')],
    ]),
    ...truncatedFiles,
  ];
}

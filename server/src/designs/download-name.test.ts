import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatContentDisposition } from './download-name.ts';

const GLB = { format: 'glb' } as const;

/** Reads both names of the header as a client does. */
function parseNames(header: string): { ascii: string; name: string } {
  const match = /^attachment; filename="([^"]*)"; filename\*=UTF-8''(.*)$/.exec(header);
  assert.ok(match, header);
  return { ascii: match[1] ?? '', name: decodeURIComponent(match[2] ?? '') };
}

const cases: [fileName: string, name: string, ascii?: string][] = [
  ['chair.glb', 'chair.glb'],
  ['Chair.GLB', 'Chair.GLB'],
  ['chair', 'chair.glb'],
  ['Stühle (2) & Tische.glb', 'Stühle (2) & Tische.glb', 'Stuhle (2) & Tische.glb'],
  ['椅子.glb', '椅子.glb', '__.glb'],
  ['a"; filename="evil.exe', 'a_; filename=_evil.exe.glb'],
  ['chair.exe', 'chair.exe.glb'],
  ['chair.glb.html', 'chair.glb.html.glb'],
  ['/etc/passwd', 'passwd.glb'],
  ['..\\..\\Startup\\x.bat', 'x.bat.glb'],
  ['../../', 'model.glb'],
  ['.bashrc', 'bashrc.glb'],
  ['...', 'model.glb'],
  ['', 'model.glb'],
  [' . ', 'model.glb'],
  ['CON', '_CON.glb'],
  ['aux.glb', '_aux.glb'],
  ['console.glb', 'console.glb'],
  ['a\r\nSet-Cookie: x=1.glb', 'a__Set-Cookie_ x=1.glb'],
  ['a\u202egnp.glb', 'a_gnp.glb'],
  ['a\u0000b.glb', 'a_b.glb'],
  ['100%25.glb', '100_25.glb'],
  ["it's*.glb", "it's_.glb"],
  ['\ud800.glb', '\ufffd.glb', '_.glb'],
];

for (const [fileName, name, ascii = name] of cases) {
  test(`${JSON.stringify(fileName)} is downloaded as ${name}`, () => {
    const header = formatContentDisposition({ fileName, detectedFormat: GLB }, 'x');
    assert.match(header, /^[\x20-\x7e]+$/);
    assert.deepEqual(parseNames(header), { ascii, name });
  });
}

test('a long name is shortened between characters, and keeps its extension', () => {
  for (const letter of ['a', 'ä', '😀']) {
    const fileName = `${letter.repeat(1000)}.glb`;
    const { name } = parseNames(formatContentDisposition({ fileName, detectedFormat: GLB }, 'x'));
    assert.ok(Buffer.byteLength(name) <= 200 && Buffer.byteLength(name) >= 196);
    assert.ok(name.isWellFormed() && name.endsWith(`${letter}.glb`));
  }
});

test('without a file name, the name of the design is used', () => {
  const header = formatContentDisposition({ fileName: undefined, detectedFormat: GLB }, 'Oak 2.5');
  assert.equal(parseNames(header).name, 'Oak 2.5.glb');
});

test('an archive is downloaded as zip', () => {
  const detectedFormat = { format: 'obj', modelPath: 'a.obj' } as const;
  const toName = (fileName: string) =>
    parseNames(formatContentDisposition({ fileName, detectedFormat }, 'x')).name;
  assert.equal(toName('chair.zip'), 'chair.zip');
  assert.equal(toName('chair.obj'), 'chair.obj.zip');
});

import { type HostileFile, type HostileFileCase, toHostileFiles } from './hostile-file.ts';
import { makeMinimalBrep, makeMinimalIges, makeMinimalStep } from './valid-cad-files.ts';

/** Malicious STEP, IFC, IGES and BREP files. */
export function listHostileCadFiles(): HostileFile[] {
  return [
    ...toHostileFiles('STEP', hostileStepFiles('AUTOMOTIVE_DESIGN')),
    ...toHostileFiles('IFC', [...hostileStepFiles('IFC4').slice(0, 6), ...circularIfcReferences()]),
    ...toHostileFiles('IGES', hostileIgesFiles()),
    ...toHostileFiles('BREP', hostileBrepFiles()),
  ];
}

function hostileStepFiles(schema: string): HostileFileCase[] {
  const data = (line: string) => () => makeMinimalStep({ schema, data: `${line}\n` });
  const nested = (depth: number) => data(`#9=A(${'('.repeat(depth)}1.${')'.repeat(depth)});`);
  return [
    ['parentheses 43 deep', nested(43)],
    ['parentheses 5000 deep', nested(5000)],
    ['parentheses a million deep', nested(1e6)],
    ['an open parenthesis', data('#9=A((1.);')],
    ['entity 99 999 999 999', data('#99999999999=A(1.);')],
    ['a reference to entity of 400 digits', data(`#9=A(#${'9'.repeat(400)});`)],
    ['too many closing parentheses', data('#9=A(1.)));')],
    ['a string without an end', data("#9=A('b);")],
    ['a comment without an end', data('/* #9=A(1.);')],
    ['a string of 20 MB', data(`#9=A('${'b'.repeat(20e6)}');`)],
    ['a string of 20 MB of quotes', data(`#9=A('${"''".repeat(10e6)}');`)],
    ['no data', () => `ISO-10303-21;\nHEADER;\nFILE_SCHEMA(('${schema}'));\nENDSEC;\n`],
    [
      'a product within itself',
      data("#9=NEXT_ASSEMBLY_USAGE_OCCURRENCE('','','',#9,#9,$);"),
      'any',
    ],
    ['lines that reference each other', data('#8=LINE(#9,#9);\n#9=LINE(#8,#8);'), 'any'],
  ];
}

function circularIfcReferences(): HostileFileCase[] {
  const data = (lines: string) => () => makeMinimalStep({ schema: 'IFC4', data: `${lines}\n` });
  const chain = Array.from(
    { length: 1e5 },
    (_, index) => `#${index + 10}=IFCLOCALPLACEMENT(#${index + 11},$);`,
  );
  return [
    ['a placement within itself', data('#9=IFCLOCALPLACEMENT(#9,$);'), 'any'],
    ['a solid combined with itself', data('#9=IFCBOOLEANRESULT(.UNION.,#9,#9);'), 'any'],
    ['100 000 placements in a chain', data(chain.join('\n')), 'any'],
    [
      '1000 entities with the same id',
      data('#9=IFCCARTESIANPOINT((0.,0.));\n'.repeat(1000)),
      'any',
    ],
  ];
}

function hostileIgesFiles(): HostileFileCase[] {
  return [
    ['more declared lines than the file has', () => makeMinimalIges({ claimedLineCount: 999_999 })],
    ['a missing line number', () => makeMinimalIges({ skip: 1 })],
    ['sections out of order', () => makeMinimalIges().split('\n').reverse().join('\n')],
    ['no last line', () => makeMinimalIges().split('\n').slice(0, -2).join('\n')],
    ['a line of 20 MB', () => makeMinimalIges().replace('116,0.', `116,${'0'.repeat(20e6)}.`)],
    ['compressed', () => makeMinimalIges().replace(/^(.{72})S/, '$1C')],
  ];
}

function hostileBrepFiles(): HostileFileCase[] {
  return [
    ['1e9 curves', () => makeMinimalBrep({ curves: '1000000000' })],
    ['-1 curves', () => makeMinimalBrep({ curves: '-1' })],
    ['1e400 curves', () => makeMinimalBrep({ curves: '9'.repeat(400) })],
    ['no shape', () => makeMinimalBrep().replace('+1 0', '')],
    ['a line of 20 MB', () => makeMinimalBrep({ curves: ' '.repeat(20e6) })],
    ['binary', () => '\nOpen CASCADE Topology V3 (c)\nLocations 0\n'],
  ];
}

/** A STEP or IFC file. */
export function makeMinimalStep({ schema = 'AUTOMOTIVE_DESIGN', data = '' } = {}): string {
  return `ISO-10303-21;
HEADER;
FILE_DESCRIPTION(('it''s a; box ('),'2;1');
FILE_NAME('box','2020-01-01T00:00:00',(''),(''),'','','');
FILE_SCHEMA(('${schema}'));
ENDSEC;
DATA;
/* one point ** / ( */
#1=CARTESIAN_POINT('',(0.,0.,0.));
#2 = ( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.) );
${data}ENDSEC;
END-ISO-10303-21;
`;
}

/** An IGES file. */
export function makeMinimalIges({ claimedLineCount = 1, skip = 0 } = {}): string {
  const line = (text: string, letter: string, sequenceNumber: number) =>
    `${text.padEnd(72)}${letter}${String(sequenceNumber).padStart(7)}\n`;
  const point = '     116       1       0       0       0';
  return [
    line('a box by hand', 'S', 1),
    line('1H,,1H;,3Hbox,3Hbox,1Ha,1Hb,32,38,6,308,15,,1.,2,2HMM,1,1.;', 'G', 1),
    line(point, 'D', 1),
    line(point, 'D', 2 + skip),
    line('116,0.,0.,0.;', 'P', 1),
    line(`S      1G      1D      2P${String(claimedLineCount).padStart(7)}`, 'T', 1),
  ].join('');
}

/** A BREP file. */
export function makeMinimalBrep({ curves = '0' } = {}): string {
  return `DBRep_DrawableShape

CASCADE Topology V1, (c) Matra-Datavision
Locations 0
Curve2ds 0
Curves ${curves}
Polygon3D 0
PolygonOnTriangulations 0
Surfaces 0
Triangulations 0

TShapes 1
Co
0000000
*

+1 0
`;
}

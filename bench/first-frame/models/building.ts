const STOREYS = 8;
const ROOMS = 10;
const ROOM_SIZE = 5;
const STOREY_HEIGHT = 3;
const COLORS = [
  [0.85, 0.8, 0.7],
  [0.7, 0.3, 0.2],
  [0.6, 0.62, 0.65],
] as const;

type Block = { at: [number, number, number]; size: [number, number, number]; color: number };

/** Generates an IFC4 of an office building: storeys with a grid of walls on slabs. */
export function makeBuildingIfc(): Buffer {
  const lines = [
    "#1=IFCPROJECT('0Pr0j3ctPr0j3ctPr0j3c1',$,'Project',$,$,$,$,(#20),#10);",
    '#10=IFCUNITASSIGNMENT((#11,#12));',
    '#11=IFCSIUNIT(*,.LENGTHUNIT.,$,.METRE.);',
    '#12=IFCSIUNIT(*,.PLANEANGLEUNIT.,$,.RADIAN.);',
    "#20=IFCGEOMETRICREPRESENTATIONCONTEXT($,'Model',3,1.E-05,#21,$);",
    '#21=IFCAXIS2PLACEMENT3D(#22,$,$);',
    '#22=IFCCARTESIANPOINT((0.,0.,0.));',
    "#30=IFCSITE('0S1teS1teS1teS1teS1te1',$,'Site',$,$,#31,$,$,.ELEMENT.,$,$,$,$,$);",
    '#31=IFCLOCALPLACEMENT($,#21);',
    "#32=IFCBUILDING('0Bu1ld1ngBu1ld1ngBu1l1',$,'Building',$,$,#31,$,$,.ELEMENT.,$,$,$);",
    "#34=IFCBUILDINGSTOREY('0St0reySt0reySt0reySt1',$,'Storeys',$,$,#31,$,$,.ELEMENT.,0.);",
    "#40=IFCRELAGGREGATES('0Re1Re1Re1Re1Re1Re1Re1',$,$,$,#1,(#30));",
    "#41=IFCRELAGGREGATES('0Re1Re1Re1Re1Re1Re1Re2',$,$,$,#30,(#32));",
    "#42=IFCRELAGGREGATES('0Re1Re1Re1Re1Re1Re1Re3',$,$,$,#32,(#34));",
    '#58=IFCAXIS2PLACEMENT2D(#59,$);',
    '#59=IFCCARTESIANPOINT((0.,0.));',
    '#60=IFCDIRECTION((0.,0.,1.));',
    ...COLORS.flatMap((color, index) => makeColorLines(100 + index * 10, color)),
  ];
  const blocks = listBlocks();
  const ids = blocks.map((_, index) => 1000 + index * 20);
  lines.push(...blocks.flatMap((block, index) => makeBlockLines(ids[index] ?? 0, block)));
  const elements = ids.map((id) => `#${id}`).join(',');
  lines.push(
    `#43=IFCRELCONTAINEDINSPATIALSTRUCTURE('0Re1Re1Re1Re1Re1Re1Re4',$,$,$,(${elements}),#34);`,
  );
  return Buffer.from(`ISO-10303-21;
HEADER;
FILE_DESCRIPTION(('ViewDefinition [CoordinationView]'),'2;1');
FILE_NAME('building.ifc','2026-01-01T00:00:00',(''),(''),'','Cloche benchmark','');
FILE_SCHEMA(('IFC4'));
ENDSEC;
DATA;
${lines.join('\n')}
ENDSEC;
END-ISO-10303-21;
`);
}

function listBlocks(): Block[] {
  const width = ROOMS * ROOM_SIZE;
  const blocks: Block[] = [];
  for (let storey = 0; storey < STOREYS; storey++) {
    const base = storey * STOREY_HEIGHT;
    blocks.push({ at: [width / 2, width / 2, base], size: [width, width, 0.3], color: 2 });
    for (let line = 0; line <= ROOMS; line++) {
      const color = line === 0 || line === ROOMS ? 1 : 0;
      for (let room = 0; room < ROOMS; room++) {
        const [along, across] = [(room + 0.5) * ROOM_SIZE, line * ROOM_SIZE];
        const height = STOREY_HEIGHT - 0.8;
        blocks.push({ at: [along, across, base + 0.3], size: [ROOM_SIZE, 0.2, height], color });
        blocks.push({ at: [across, along, base + 0.3], size: [0.2, ROOM_SIZE, height], color });
      }
    }
  }
  return blocks;
}

/** A block stands on `at`, the center of its base. Z is up. */
function makeBlockLines(id: number, { at, size, color }: Block): string[] {
  const globalId = `0B${id.toString(36).padStart(20, '0')}`;
  return [
    `#${id}=IFCBUILDINGELEMENTPROXY('${globalId}',$,'Block ${id}',$,$,#${id + 1},#${id + 4},$,$);`,
    `#${id + 1}=IFCLOCALPLACEMENT(#31,#${id + 2});`,
    `#${id + 2}=IFCAXIS2PLACEMENT3D(#${id + 3},$,$);`,
    `#${id + 3}=IFCCARTESIANPOINT((${at.map(toReal).join(',')}));`,
    `#${id + 4}=IFCPRODUCTDEFINITIONSHAPE($,$,(#${id + 5}));`,
    `#${id + 5}=IFCSHAPEREPRESENTATION(#20,'Body','SweptSolid',(#${id + 6}));`,
    `#${id + 6}=IFCEXTRUDEDAREASOLID(#${id + 7},#21,#60,${toReal(size[2])});`,
    `#${id + 7}=IFCRECTANGLEPROFILEDEF(.AREA.,$,#58,${toReal(size[0])},${toReal(size[1])});`,
    `#${id + 8}=IFCSTYLEDITEM(#${id + 6},(#${100 + color * 10}),$);`,
  ];
}

function makeColorLines(id: number, color: readonly number[]): string[] {
  return [
    `#${id}=IFCSURFACESTYLE('Color ${id}',.BOTH.,(#${id + 1}));`,
    `#${id + 1}=IFCSURFACESTYLERENDERING(#${id + 2},0.,$,$,$,$,$,$,.NOTDEFINED.);`,
    `#${id + 2}=IFCCOLOURRGB($,${color.map(toReal).join(',')});`,
  ];
}

const toReal = (value: number) => (Number.isInteger(value) ? `${value}.` : String(value));

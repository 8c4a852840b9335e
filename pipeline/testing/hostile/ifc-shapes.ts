import { makeIfc } from '../formats/ifc.ts';

/** The id of the extruded solid of `makeIfc`. */
const SOLID = 56;
const FIRST_ID = 1000;

/** Adds entities to an IFC with one wall, whose shape becomes the given one. */
export function withIfcShape(entities: string, shapeId: number): Buffer {
  const text = makeIfc()
    .toString()
    .replace(`'SweptSolid',(#${SOLID})`, `'CSG',(#${shapeId})`)
    .replace('ENDSEC;\nEND-ISO', `${entities}ENDSEC;\nEND-ISO`);
  return Buffer.from(text);
}

/** A wall of boolean operations, each of which combines the one before with itself. */
export function nestBooleans(depth: number): Buffer {
  let previous = SOLID;
  const lines = Array.from({ length: depth }, (_, index) => {
    const id = FIRST_ID + index;
    const line = `#${id}=IFCBOOLEANRESULT(.UNION.,#${previous},#${previous});\n`;
    previous = id;
    return line;
  });
  return withIfcShape(lines.join(''), previous);
}

/** A wall from which boxes are subtracted one after the other. */
export function chainBooleans(count: number): Buffer {
  let previous = SOLID;
  const lines = Array.from({ length: count }, (_, index) => {
    const id = FIRST_ID + 10 * index;
    const x = ((index * 3.9) / count - 1.95).toFixed(4);
    const width = (2 / count).toFixed(5);
    const text = [
      `#${id}=IFCCARTESIANPOINT((${x},0.,0.5));`,
      `#${id + 1}=IFCAXIS2PLACEMENT3D(#${id},$,$);`,
      `#${id + 2}=IFCRECTANGLEPROFILEDEF(.AREA.,$,#58,${width},0.5);`,
      `#${id + 3}=IFCEXTRUDEDAREASOLID(#${id + 2},#${id + 1},#60,1.);`,
      `#${id + 4}=IFCBOOLEANRESULT(.DIFFERENCE.,#${previous},#${id + 3});\n`,
    ].join('\n');
    previous = id + 4;
    return text;
  });
  return withIfcShape(lines.join(''), previous);
}

/** A wall with an outline of curves, each of which consists of the one before twice. */
export function nestCurves(depth: number): Buffer {
  const lines = [
    '#900=IFCCARTESIANPOINT((0.,0.));',
    '#901=IFCCARTESIANPOINT((1.,0.));',
    '#902=IFCCARTESIANPOINT((1.,1.));',
    '#903=IFCPOLYLINE((#900,#901,#902,#900));',
  ];
  let curve = 903;
  for (let level = 0; level < depth; level++) {
    const id = FIRST_ID + 10 * level;
    lines.push(
      `#${id}=IFCCOMPOSITECURVESEGMENT(.CONTINUOUS.,.T.,#${curve});`,
      `#${id + 1}=IFCCOMPOSITECURVE((#${id},#${id}),.U.);`,
    );
    curve = id + 1;
  }
  lines.push(
    `#904=IFCARBITRARYCLOSEDPROFILEDEF(.AREA.,$,#${curve});`,
    '#905=IFCEXTRUDEDAREASOLID(#904,#21,#60,3.);\n',
  );
  return withIfcShape(lines.join('\n'), 905);
}

/** A wall of mapped items, each of which contains the one before twice. */
export function nestMappedItems(depth: number): Buffer {
  let item = SOLID;
  const lines = Array.from({ length: depth }, (_, index) => {
    const id = FIRST_ID + 10 * index;
    const text = [
      `#${id}=IFCSHAPEREPRESENTATION(#20,'Body','MappedRepresentation',(#${item},#${item}));`,
      `#${id + 1}=IFCREPRESENTATIONMAP(#21,#${id});`,
      `#${id + 2}=IFCCARTESIANTRANSFORMATIONOPERATOR3D($,$,#22,1.,$);`,
      `#${id + 3}=IFCMAPPEDITEM(#${id + 1},#${id + 2});\n`,
    ].join('\n');
    item = id + 3;
    return text;
  });
  return withIfcShape(lines.join(''), item);
}

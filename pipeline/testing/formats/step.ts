import { CUBE_FACES, cubeCorners } from './cube.ts';
import { formatReal } from './step-real.ts';
import { cross, type Point, subtract } from './vector.ts';

export type StepOptions = {
  unit?: 'millimeter' | 'meter';
  /** Length of an edge, in the unit of the file. */
  size?: number;
  name?: string;
  /** sRGB, from 0 to 1. */
  color?: readonly [number, number, number];
  /** The color of the first face. */
  faceColor?: readonly [number, number, number];
};

/** Writes an entity and returns the reference to it. */
type WriteEntity = (text: string) => string;

/** Creates a STEP file (AP214) of a cube at the origin: one product, six planar faces. */
export function makeStep(options: StepOptions = {}): Buffer {
  const { unit = 'millimeter', size = 10, name = 'Cube', color, faceColor } = options;
  const lines: string[] = [];
  const write: WriteEntity = (text) => {
    lines.push(`#${lines.length + 1}=${text};`);
    return `#${lines.length}`;
  };
  const context = writeContext(write, unit);
  const faces = writeFaces(write, size);
  const shell = write(`CLOSED_SHELL('',(${faces.join()}))`);
  const solid = write(`MANIFOLD_SOLID_BREP('${name}',${shell})`);
  const placement = writeAxisPlacement(write, [0, 0, 0], [0, 0, 1], [1, 0, 0]);
  const shape = write(`ADVANCED_BREP_SHAPE_REPRESENTATION('',(${placement},${solid}),${context})`);
  writeProduct(write, name, shape);
  const styles: string[] = [];
  if (color) styles.push(writeStyle(write, solid, color));
  if (faceColor) styles.push(writeStyle(write, faces[0] as string, faceColor));
  if (styles.length > 0) {
    write(
      `MECHANICAL_DESIGN_GEOMETRIC_PRESENTATION_REPRESENTATION('',(${styles.join()}),${context})`,
    );
  }
  return Buffer.from(`ISO-10303-21;
HEADER;
FILE_DESCRIPTION((''),'2;1');
FILE_NAME('cube','2026-01-01T00:00:00',(''),(''),'Cloche tests','','');
FILE_SCHEMA(('AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }'));
ENDSEC;
DATA;
${lines.join('\n')}
ENDSEC;
END-ISO-10303-21;
`);
}

function writeContext(write: WriteEntity, unit: 'millimeter' | 'meter'): string {
  const prefix = unit === 'meter' ? '$' : '.MILLI.';
  const length = write(`(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(${prefix},.METRE.))`);
  const angle = write('(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.))');
  const solid = write('(NAMED_UNIT(*)SI_UNIT($,.STERADIAN.)SOLID_ANGLE_UNIT())');
  const error = write(`UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-07),${length},'','')`);
  return write(
    `(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT((${error}))GLOBAL_UNIT_ASSIGNED_CONTEXT((${length},${angle},${solid}))REPRESENTATION_CONTEXT('',''))`,
  );
}

function writeProduct(write: WriteEntity, name: string, shape: string): void {
  const application = write("APPLICATION_CONTEXT('automotive design')");
  write(`APPLICATION_PROTOCOL_DEFINITION('','automotive_design',2000,${application})`);
  const context = write(`PRODUCT_CONTEXT('',${application},'mechanical')`);
  const product = write(`PRODUCT('${name}','${name}','',(${context}))`);
  write(`PRODUCT_RELATED_PRODUCT_CATEGORY('part',$,(${product}))`);
  const formation = write(`PRODUCT_DEFINITION_FORMATION('','',${product})`);
  const definitionContext = write(
    `PRODUCT_DEFINITION_CONTEXT('part definition',${application},'design')`,
  );
  const definition = write(`PRODUCT_DEFINITION('design','',${formation},${definitionContext})`);
  const definitionShape = write(`PRODUCT_DEFINITION_SHAPE('','',${definition})`);
  write(`SHAPE_DEFINITION_REPRESENTATION(${definitionShape},${shape})`);
}

function writeFaces(write: WriteEntity, size: number): string[] {
  const corners = cubeCorners(size);
  const vertices = corners.map((corner) => write(`VERTEX_POINT('',${writePoint(write, corner)})`));
  const edges = new Map<string, string>();
  const edgeOf = (from: number, to: number) => {
    const [first, last] = [Math.min(from, to), Math.max(from, to)];
    const key = `${first} ${last}`;
    const edge = edges.get(key) ?? writeEdge(write, { corners, vertices, first, last });
    edges.set(key, edge);
    return write(`ORIENTED_EDGE('',*,*,${edge},${from === first ? '.T.' : '.F.'})`);
  };
  return CUBE_FACES.map((face) => {
    const loop = face.map((corner, index) => edgeOf(corner, face[(index + 1) % 4] as number));
    const bound = write(`FACE_OUTER_BOUND('',${write(`EDGE_LOOP('',(${loop.join()}))`)},.T.)`);
    const [a, b, c] = face.map((corner) => corners[corner] as Point) as [Point, Point, Point];
    const right = subtract(b, a);
    const plane = write(
      `PLANE('',${writeAxisPlacement(write, a, cross(right, subtract(c, b)), right)})`,
    );
    return write(`ADVANCED_FACE('',(${bound}),${plane},.T.)`);
  });
}

type EdgeVertices = {
  corners: readonly Point[];
  vertices: readonly string[];
  first: number;
  last: number;
};

function writeEdge(write: WriteEntity, { corners, vertices, first, last }: EdgeVertices): string {
  const [from, to] = [corners[first] as Point, corners[last] as Point];
  const vector = write(`VECTOR('',${writeDirection(write, subtract(to, from))},1.)`);
  const line = write(`LINE('',${writePoint(write, from)},${vector})`);
  return write(`EDGE_CURVE('',${vertices[first]},${vertices[last]},${line},.T.)`);
}

function writeAxisPlacement(
  write: WriteEntity,
  origin: Point,
  normal: Point,
  right: Point,
): string {
  const [point, axis, reference] = [
    writePoint(write, origin),
    writeDirection(write, normal),
    writeDirection(write, right),
  ];
  return write(`AXIS2_PLACEMENT_3D('',${point},${axis},${reference})`);
}

function writePoint(write: WriteEntity, point: Point): string {
  return write(`CARTESIAN_POINT('',(${point.map(formatReal).join()}))`);
}

function writeDirection(write: WriteEntity, direction: Point): string {
  const length = Math.hypot(...direction);
  return write(`DIRECTION('',(${direction.map((value) => formatReal(value / length)).join()}))`);
}

function writeStyle(write: WriteEntity, item: string, color: Point): string {
  const rgb = write(`COLOUR_RGB('',${color.map(formatReal).join()})`);
  const fill = write(`FILL_AREA_STYLE('',(${write(`FILL_AREA_STYLE_COLOUR('',${rgb})`)}))`);
  const side = write(`SURFACE_SIDE_STYLE('',(${write(`SURFACE_STYLE_FILL_AREA(${fill})`)}))`);
  const usage = write(`SURFACE_STYLE_USAGE(.BOTH.,${side})`);
  const style = write(`PRESENTATION_STYLE_ASSIGNMENT((${usage}))`);
  return write(`STYLED_ITEM('',(${style}),${item})`);
}

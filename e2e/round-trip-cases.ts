import type { Format } from '@cloche/pipeline/formats/registry';
import { make3mf } from '@cloche/pipeline/testing/formats/3mf';
import { makeBrep } from '@cloche/pipeline/testing/formats/brep';
import { makeDae } from '@cloche/pipeline/testing/formats/dae';
import { makeFbx } from '@cloche/pipeline/testing/formats/fbx';
import { makeGltf } from '@cloche/pipeline/testing/formats/gltf';
import { makeIfc } from '@cloche/pipeline/testing/formats/ifc';
import { makeIges } from '@cloche/pipeline/testing/formats/iges';
import { makeMtl, makeObj } from '@cloche/pipeline/testing/formats/obj';
import { makePly } from '@cloche/pipeline/testing/formats/ply';
import { makeStep } from '@cloche/pipeline/testing/formats/step';
import { makeStl } from '@cloche/pipeline/testing/formats/stl';
import { makeZip } from '@cloche/pipeline/testing/formats/zip';
import { makeBox } from '@cloche/pipeline/testing/models';
import { makePng } from '@cloche/pipeline/testing/png';
import { makeStepAssembly } from './step-assembly.ts';

type Point = readonly [number, number, number];

/** A file, and the expected properties of its design. */
export type RoundTripCase = {
  name: string;
  bytes: Buffer;
  format: Format;
  /** The path of the model in the archive. */
  mainPath?: string;
  /** In meters, Y up. */
  min: Point;
  max: Point;
  /** 12 by default. */
  triangles?: number;
  /** Base colors of the materials: linear red, green, blue, alpha. */
  colors: readonly (readonly number[])[];
  /** Colors that vertices must have. */
  vertexColors?: readonly (readonly number[])[];
  /** Names of nodes. */
  nodes: readonly string[];
  animations?: readonly string[];
  textures?: number;
  warnings?: readonly string[];
  /** Whether screenshots before and after processing are compared. */
  comparesScreenshot?: boolean;
};

/** Colors as stored in the files; different for all cases whose screenshots are compared. */
const COLORS = {
  step: [0, 0.8, 0.1],
  face: [0.9, 0.7, 0.2],
  assembly: [0.8, 0.4, 0.1],
  fbx: [0.2, 0.3, 0.9],
  dae: [0.6, 0.1, 0.7],
  stl: [0.1, 0.5, 0.5],
  mtl: [0.7, 0.7, 0.1],
  glb: [0.5, 0.2, 0.05],
} as const;
const VERTEX_COLORS = [0, 1, 2, 3, 4, 5, 6, 7].map(
  (index) => [255 * (index & 1), 128 * ((index >> 1) & 1), 200 * (index >> 2)] as const,
);

const WHITE = [1, 1, 1, 1];
/** The color that parts without a color get. */
const DEFAULT_GRAY = [0.6, 0.6, 0.6, 1];
const UNITS_WARNING = ['units.assumed'];

/** A cube of 10 mm, converted from Z up to Y up. */
const CUBE_10_MM = { min: [0, 0, -0.01], max: [0.01, 0.01, 0] } as const;
const UNIT_CUBE = { min: [0, 0, 0], max: [1, 1, 1] } as const;
const CENTERED_BOX = { min: [-1, -1, -1], max: [1, 1, 1] } as const;
const TWO_CUBES = { ...CUBE_10_MM, max: [0.03, 0.01, 0], triangles: 24 } as const;

const texturedOptions = { size: 2, textured: true, color: COLORS.glb };
const externalGltf = makeGltf({
  ...texturedOptions,
  externalUris: { bin: 'box.bin', image: 'white.png' },
});
const plainBox = { ...CENTERED_BOX, colors: [[...COLORS.glb, 1]], nodes: ['Box'] };

/** A file in every format. */
export const ROUND_TRIP_CASES: readonly RoundTripCase[] = [
  {
    name: 'GLB',
    bytes: makeBox({ ...texturedOptions, spinning: true }),
    format: 'glb',
    ...plainBox,
    animations: ['Spin'],
    textures: 1,
  },
  {
    name: 'glTF',
    bytes: makeGltf(texturedOptions).gltf,
    format: 'gltf',
    ...plainBox,
    textures: 1,
  },
  {
    name: 'zip of a glTF',
    bytes: makeZip({
      'box.gltf': externalGltf.gltf,
      'box.bin': externalGltf.bin,
      'white.png': externalGltf.image,
    }),
    format: 'gltf',
    ...plainBox,
    textures: 1,
  },
  {
    name: 'zip of a GLB',
    bytes: makeZip({ 'a/b.glb': makeBox({ size: 2, color: COLORS.glb }) }),
    format: 'glb',
    ...plainBox,
  },
  {
    name: 'OBJ',
    bytes: makeObj(),
    format: 'obj',
    ...UNIT_CUBE,
    colors: [DEFAULT_GRAY],
    nodes: ['Cube'],
    warnings: UNITS_WARNING,
  },
  {
    name: 'zip of an OBJ',
    bytes: makeZip({
      'a.obj': makeObj({
        materialLibrary: 'a.mtl',
        objects: [
          { name: 'Leg', material: 'wood' },
          { name: 'Seat', material: 'paint' },
        ],
      }),
      'a.mtl':
        makeMtl('wood', { Kd: '1 1 1', map_Kd: 'wood.png' }) +
        makeMtl('paint', { Kd: COLORS.mtl.join(' ') }),
      'wood.png': makePng(2, 2, [200, 100, 0]),
    }),
    format: 'obj',
    mainPath: 'a.obj',
    ...UNIT_CUBE,
    max: [3, 1, 1],
    triangles: 24,
    comparesScreenshot: true,
    colors: [WHITE, toLinear(COLORS.mtl)],
    nodes: ['Leg', 'Seat'],
    textures: 1,
    warnings: UNITS_WARNING,
  },
  {
    name: 'binary STL',
    bytes: makeStl({ color: COLORS.stl }),
    format: 'stl',
    ...CUBE_10_MM,
    colors: [WHITE],
    vertexColors: [[1, 0, 0, 1], toLinear(COLORS.stl)],
    nodes: [],
    warnings: UNITS_WARNING,
    comparesScreenshot: true,
  },
  {
    name: 'ASCII STL',
    bytes: makeStl({ ascii: true }),
    format: 'stl',
    ...CUBE_10_MM,
    colors: [DEFAULT_GRAY],
    nodes: ['cube'],
    warnings: UNITS_WARNING,
  },
  {
    name: 'PLY',
    bytes: makePly({ format: 'binary_little_endian', colors: VERTEX_COLORS }),
    format: 'ply',
    ...UNIT_CUBE,
    colors: [WHITE],
    vertexColors: VERTEX_COLORS.map(([red, green, blue]) =>
      toLinear([red / 255, green / 255, blue / 255]),
    ),
    nodes: [],
    warnings: UNITS_WARNING,
    comparesScreenshot: true,
  },
  {
    name: '3MF',
    bytes: make3mf(),
    format: '3mf',
    ...TWO_CUBES,
    comparesScreenshot: true,
    colors: [
      [0, 0, 1, 0x80 / 0xff],
      [1, 0, 0, 1],
    ],
    nodes: ['Whole', 'Cube', 'Whole', 'Cube'],
  },
  {
    name: 'FBX',
    bytes: makeFbx({ size: 100, color: COLORS.fbx, spinning: true }),
    format: 'fbx',
    min: [1, 0, 0],
    max: [2, 1, 1],
    comparesScreenshot: true,
    colors: [toLinear(COLORS.fbx)],
    nodes: ['Group', 'Cube'],
    animations: ['Spin'],
  },
  {
    name: 'COLLADA',
    bytes: makeDae({ color: COLORS.dae, animated: true }),
    format: 'dae',
    ...UNIT_CUBE,
    comparesScreenshot: true,
    colors: [toLinear(COLORS.dae)],
    nodes: ['Cube'],
    animations: ['Move'],
  },
  {
    name: 'STEP',
    bytes: makeStep({ color: COLORS.step, faceColor: COLORS.face }),
    format: 'step',
    ...CUBE_10_MM,
    comparesScreenshot: true,
    colors: [toLinear(COLORS.step), toLinear(COLORS.face)],
    nodes: ['Cube'],
  },
  {
    name: 'STEP assembly',
    bytes: makeStepAssembly({ name: 'Leg', color: COLORS.assembly }, 'Stand', 20),
    format: 'step',
    ...TWO_CUBES,
    colors: [toLinear(COLORS.assembly)],
    nodes: ['Stand', 'Leg', 'Leg'],
  },
  {
    name: 'IGES',
    bytes: makeIges(),
    format: 'iges',
    ...CUBE_10_MM,
    colors: [DEFAULT_GRAY],
    nodes: ['FACE', 'FACE', 'FACE', 'FACE', 'FACE', 'FACE'],
    comparesScreenshot: true,
  },
  {
    name: 'BREP',
    bytes: makeBrep(),
    format: 'brep',
    ...CUBE_10_MM,
    colors: [DEFAULT_GRAY],
    nodes: [],
    warnings: UNITS_WARNING,
  },
  {
    name: 'IFC',
    bytes: makeIfc({ transparency: 0.25 }),
    format: 'ifc',
    min: [-2, 0, -1.1],
    max: [2, 3, -0.9],
    comparesScreenshot: true,
    colors: [[1, 0, 0, 0.75]],
    nodes: ['Project', 'Site', 'Building', 'Ground floor', 'Wall'],
  },
];

/** Converts an opaque sRGB color to linear values with alpha. */
function toLinear(color: Point): number[] {
  const linearize = (value: number) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  return [...color.map(linearize), 1];
}

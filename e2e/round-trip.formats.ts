import type { Format } from '../server/src/pipeline/format.ts';
import { make3mf } from '../server/testing/formats/3mf.ts';
import { makeBrep } from '../server/testing/formats/brep.ts';
import { makeDae } from '../server/testing/formats/dae.ts';
import { makeFbx } from '../server/testing/formats/fbx.ts';
import { makeGltf } from '../server/testing/formats/gltf.ts';
import { makeIfc } from '../server/testing/formats/ifc.ts';
import { makeIges } from '../server/testing/formats/iges.ts';
import { makeMtl, makeObj } from '../server/testing/formats/obj.ts';
import { makePly } from '../server/testing/formats/ply.ts';
import { makeStep } from '../server/testing/formats/step.ts';
import { makeStl } from '../server/testing/formats/stl.ts';
import { makeZip } from '../server/testing/formats/zip.ts';
import { makeBox, makePng } from '../server/testing/models.ts';
import { makeStepAssembly } from './round-trip.step.ts';

type Point = readonly [number, number, number];

export type Row = {
  name: string;
  bytes: Buffer;
  format: Format;
  /** The path of the model in its archive. */
  main?: string;
  /** Metres, Y up. */
  min: Point;
  max: Point;
  /** 12 unless said otherwise. */
  triangles?: number;
  /** What materials must look like: red, green, blue and alpha, linear. */
  colours: readonly (readonly number[])[];
  /** The same for vertices. */
  vertexColours?: readonly (readonly number[])[];
  /** The names that must still be there. */
  nodes: readonly string[];
  animations?: readonly string[];
  textures?: number;
  warnings?: readonly string[];
  /** Is its picture compared? */
  pictured?: boolean;
};

/** Each as its file has it; alike for no two rows whose pictures are compared. */
const COLOURS = {
  step: [0, 0.8, 0.1],
  face: [0.9, 0.7, 0.2],
  assembly: [0.8, 0.4, 0.1],
  fbx: [0.2, 0.3, 0.9],
  dae: [0.6, 0.1, 0.7],
  stl: [0.1, 0.5, 0.5],
  mtl: [0.7, 0.7, 0.1],
  glb: [0.5, 0.2, 0.05],
} as const;
const CORNERS = [0, 1, 2, 3, 4, 5, 6, 7].map(
  (at) => [255 * (at & 1), 128 * ((at >> 1) & 1), 200 * (at >> 2)] as const,
);

const WHITE = [1, 1, 1, 1];
/** What wears no colour in its file. */
const GREY = [0.6, 0.6, 0.6, 1];
const UNITS = ['units.assumed'];

/** A cube of 10 mm with Z up, turned: what was above is now behind. */
const SMALL = { min: [0, 0, -0.01], max: [0.01, 0.01, 0] } as const;
const UNIT = { min: [0, 0, 0], max: [1, 1, 1] } as const;
const BOX = { min: [-1, -1, -1], max: [1, 1, 1] } as const;
const PAIR = { ...SMALL, max: [0.03, 0.01, 0], triangles: 24 } as const;

const textured = { size: 2, textured: true, colour: COLOURS.glb };
const apart = makeGltf({ ...textured, apart: { bin: 'box.bin', image: 'white.png' } });
const plain = { ...BOX, colours: [[...COLOURS.glb, 1]], nodes: ['Box'] };

/** A design in every format, and what must have become of it. */
export const ROWS: readonly Row[] = [
  {
    name: 'GLB',
    bytes: makeBox({ ...textured, spinning: true }),
    format: 'glb',
    ...plain,
    animations: ['Spin'],
    textures: 1,
  },
  {
    name: 'glTF',
    bytes: makeGltf(textured).gltf,
    format: 'gltf',
    ...plain,
    textures: 1,
  },
  {
    name: 'zip of a glTF',
    bytes: makeZip({ 'box.gltf': apart.gltf, 'box.bin': apart.bin, 'white.png': apart.image }),
    format: 'gltf',
    ...plain,
    textures: 1,
  },
  {
    name: 'zip of a GLB',
    bytes: makeZip({ 'a/b.glb': makeBox({ size: 2, colour: COLOURS.glb }) }),
    format: 'glb',
    ...plain,
  },
  {
    name: 'OBJ',
    bytes: makeObj(),
    format: 'obj',
    ...UNIT,
    colours: [GREY],
    nodes: ['Cube'],
    warnings: UNITS,
  },
  {
    name: 'zip of an OBJ',
    bytes: makeZip({
      'a.obj': makeObj({
        library: 'a.mtl',
        parts: [
          { name: 'Leg', material: 'wood' },
          { name: 'Seat', material: 'paint' },
        ],
      }),
      'a.mtl':
        makeMtl('wood', { Kd: '1 1 1', map_Kd: 'wood.png' }) +
        makeMtl('paint', { Kd: COLOURS.mtl.join(' ') }),
      'wood.png': makePng(2, 2, [200, 100, 0]),
    }),
    format: 'obj',
    main: 'a.obj',
    ...UNIT,
    max: [3, 1, 1],
    triangles: 24,
    pictured: true,
    colours: [WHITE, linear(COLOURS.mtl)],
    nodes: ['Leg', 'Seat'],
    textures: 1,
    warnings: UNITS,
  },
  {
    name: 'binary STL',
    bytes: makeStl({ colour: COLOURS.stl }),
    format: 'stl',
    ...SMALL,
    colours: [WHITE],
    vertexColours: [[1, 0, 0, 1], linear(COLOURS.stl)],
    nodes: [],
    warnings: UNITS,
    pictured: true,
  },
  {
    name: 'ASCII STL',
    bytes: makeStl({ ascii: true }),
    format: 'stl',
    ...SMALL,
    colours: [GREY],
    nodes: ['cube'],
    warnings: UNITS,
  },
  {
    name: 'PLY',
    bytes: makePly({ format: 'binary_little_endian', colours: CORNERS }),
    format: 'ply',
    ...UNIT,
    colours: [WHITE],
    vertexColours: CORNERS.map(([red, green, blue]) =>
      linear([red / 255, green / 255, blue / 255]),
    ),
    nodes: [],
    warnings: UNITS,
    pictured: true,
  },
  {
    name: '3MF',
    bytes: make3mf(),
    format: '3mf',
    ...PAIR,
    pictured: true,
    colours: [
      [0, 0, 1, 0x80 / 0xff],
      [1, 0, 0, 1],
    ],
    nodes: ['Whole', 'Cube', 'Whole', 'Cube'],
  },
  {
    name: 'FBX',
    bytes: makeFbx({ size: 100, colour: COLOURS.fbx, spinning: true }),
    format: 'fbx',
    min: [1, 0, 0],
    max: [2, 1, 1],
    pictured: true,
    colours: [linear(COLOURS.fbx)],
    nodes: ['Group', 'Cube'],
    animations: ['Spin'],
  },
  {
    name: 'COLLADA',
    bytes: makeDae({ colour: COLOURS.dae, moving: true }),
    format: 'dae',
    ...UNIT,
    pictured: true,
    colours: [linear(COLOURS.dae)],
    nodes: ['Cube'],
    animations: ['Move'],
  },
  {
    name: 'STEP',
    bytes: makeStep({ colour: COLOURS.step, faceColour: COLOURS.face }),
    format: 'step',
    ...SMALL,
    pictured: true,
    colours: [linear(COLOURS.step), linear(COLOURS.face)],
    nodes: ['Cube'],
  },
  {
    name: 'STEP assembly',
    bytes: makeStepAssembly({ name: 'Leg', colour: COLOURS.assembly }, 'Stand', 20),
    format: 'step',
    ...PAIR,
    colours: [linear(COLOURS.assembly)],
    nodes: ['Stand', 'Leg', 'Leg'],
  },
  {
    name: 'IGES',
    bytes: makeIges(),
    format: 'iges',
    ...SMALL,
    colours: [GREY],
    nodes: ['FACE', 'FACE', 'FACE', 'FACE', 'FACE', 'FACE'],
    pictured: true,
  },
  {
    name: 'BREP',
    bytes: makeBrep(),
    format: 'brep',
    ...SMALL,
    colours: [GREY],
    nodes: [],
    warnings: UNITS,
  },
  {
    name: 'IFC',
    bytes: makeIfc({ transparency: 0.25 }),
    format: 'ifc',
    min: [-2, 0, -1.1],
    max: [2, 3, -0.9],
    pictured: true,
    ...{
      colours: [[1, 0, 0, 0.75]],
      nodes: ['Project', 'Site', 'Building', 'Ground floor', 'Wall'],
    },
  },
];

/** An opaque colour of sRGB, linear. */
function linear(colour: Point): number[] {
  const straight = (value: number) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  return [...colour.map(straight), 1];
}

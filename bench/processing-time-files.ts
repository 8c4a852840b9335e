/** The files of processing-time.ts. */
import { make3mf } from '@cloche/pipeline/testing/formats/3mf';
import { makeDae } from '@cloche/pipeline/testing/formats/dae';
import { makeFbx } from '@cloche/pipeline/testing/formats/fbx';
import { makeIfc } from '@cloche/pipeline/testing/formats/ifc';
import { makeRawZip } from '@cloche/pipeline/testing/formats/raw-zip';
import { SAMPLE_FILES } from '@cloche/pipeline/testing/formats/sample-files';
import { makeStep } from '@cloche/pipeline/testing/formats/step';
import { makeZip } from '@cloche/pipeline/testing/formats/zip';
import { makeNoisePng } from '@cloche/pipeline/testing/full-featured-model';
import {
  chainBooleans,
  nestBooleans,
  nestCurves,
  nestMappedItems,
} from '@cloche/pipeline/testing/hostile/ifc-shapes';
import {
  ASSIMP_SPIRAL,
  EARCUT_SPIRAL,
  type MakePolygons,
  makeIndexedOutlineIfc,
  makeOutlineIfc,
  makePolygonObj,
  makeSpiralCorners,
  makeStarCorners,
  POLYGON_FILES,
} from '@cloche/pipeline/testing/hostile/polygons';
import { nestStepParts } from '@cloche/pipeline/testing/hostile/step-assemblies';
import {
  make3mfModelXml,
  make3mfZipEntries,
  makeGltfZipEntries,
} from '@cloche/pipeline/testing/hostile/valid-files';
import {
  type LooseGltf,
  makeGlb,
  makeGridGlb,
  makeUnpackedBox,
} from '@cloche/pipeline/testing/models';
import { makeBlackPng } from '@cloche/pipeline/testing/png';
import type { Triangulator } from '@cloche/pipeline/validation/triangulation-cost';

export type NamedFile = { name: string; make(): Buffer | Promise<Buffer> };

const MORE_SMALL_FILES: { readonly [format: string]: () => Buffer[] } = {
  glb: () => [makeGridGlb(100)],
  obj: () => [makePolygonObj(makeStarCorners(5), 1)],
  fbx: () => [makeFbx({ size: 7, spinning: true })],
  dae: () => [makeDae({ size: 7, animated: true })],
  step: () => [makeStep({ size: 7 }), nestStepParts(1)],
  ifc: () => [nestBooleans(1)],
};

/** Small files of each format: they take the time to load its library, and hardly more. */
export function listSmallFiles(): [format: string, files: Buffer[]][] {
  return Object.entries(SAMPLE_FILES).map(([format, make]) => [
    format,
    [make(), ...(MORE_SMALL_FILES[format]?.() ?? [])],
  ]);
}

/** Models as people upload them. */
export function listOrdinaryModels(): NamedFile[] {
  return [
    { name: 'GLB, 200 000 triangles', make: () => makeGridGlb(200_000) },
    { name: 'GLB, a million triangles', make: () => makeGridGlb(1_000_000) },
    { name: 'glTF in a zip, texture of 2048 pixels', make: makeTexturedZip },
    { name: 'OBJ, 200 000 triangles', make: () => makeGridObj(200_000) },
    { name: 'STL, 200 000 triangles', make: () => makeGridStl(200_000) },
    { name: '3MF, 100 000 triangles', make: () => makeGrid3mf(100_000) },
    { name: 'IFC, 2000 walls', make: () => makeWalls(2000) },
  ];
}

/** Models that are small, but take a library long, or did once. */
export function listHostileModels(): NamedFile[] {
  return [
    { name: 'IFC, booleans nested 24 times', make: () => nestBooleans(24) },
    { name: 'IFC, booleans nested 10 times', make: () => nestBooleans(10) },
    { name: 'IFC, booleans nested 12 times', make: () => nestBooleans(12) },
    { name: 'IFC, 100 booleans in a chain', make: () => chainBooleans(100) },
    { name: 'IFC, 300 booleans in a chain', make: () => chainBooleans(300) },
    { name: 'IFC, curves nested 7 times', make: () => nestCurves(7) },
    { name: 'IFC, curves nested 24 times', make: () => nestCurves(24) },
    { name: 'IFC, mapped items nested 24 times', make: () => nestMappedItems(24) },
    { name: 'IFC, mapped items nested 14 times', make: () => nestMappedItems(14) },
    { name: 'GLB, 500 levels of nodes', make: () => makeDeepGlb(500) },
    { name: 'GLB, 100 000 nodes', make: () => makeManyNodes(100_000, 1) },
    { name: 'GLB, 10 000 meshes', make: () => makeManyNodes(10_000, 10_000) },
    { name: 'GLB, 20 000 materials', make: () => makeManyMaterials(20_000) },
    { name: 'GLB, triangles without area', make: () => makeDegenerateGlb(500_000) },
    { name: '3MF, transform of 1e308', make: () => makeHuge3mf('1e308') },
    { name: '3MF, transform of 1e30', make: () => makeHuge3mf('1e30') },
    { name: '3MF, components nested 16 times', make: () => makeNested3mf(16) },
    { name: '3MF, components nested 30 times', make: () => makeNested3mf(30) },
    ...listPolygonModels(),
    { name: 'zip, black image of 16 000 pixels', make: makeLargeImageZip },
    { name: 'zip of 200 MB of zeros', make: makeZeroZip },
    { name: 'STEP, cube', make: () => makeStep() },
    { name: 'STEP, assemblies nested 6 times', make: () => nestStepParts(6) },
    { name: 'STEP, assemblies nested 11 times', make: () => nestStepParts(11) },
    { name: 'STEP, assemblies nested 24 times', make: () => nestStepParts(24) },
    { name: 'STEP, mapped items nested 10 times', make: () => nestStepParts(10, 'mapped items') },
    { name: '3MF, cubes', make: () => make3mf() },
  ];
}

function listPolygonModels(): NamedFile[] {
  const polygons = (name: string, make: MakePolygons, triangulator: Triangulator) => {
    const spiral = triangulator === 'earcut' ? EARCUT_SPIRAL : ASSIMP_SPIRAL;
    return [
      {
        name: `${name}, 50 stars of 4000 corners`,
        make: () => make(makeStarCorners(4000), 50),
      },
      {
        name: `${name}, spiral of 4000 corners`,
        make: () => make(makeSpiralCorners(4000, spiral), 1),
      },
    ];
  };
  return [
    ...POLYGON_FILES.filter(({ name }) => name !== 'FBX, binary').flatMap(
      ({ name, make, triangulator }) => polygons(name, make, triangulator),
    ),
    ...[2000, 8000].map((count) => ({
      name: `IFC, spiral of ${count} corners`,
      make: () => makeOutlineIfc(makeSpiralCorners(count, EARCUT_SPIRAL)),
    })),
    {
      name: 'IFC, spiral of 2000 corners in 50 solids',
      make: () => makeOutlineIfc(makeSpiralCorners(2000, EARCUT_SPIRAL), 50),
    },
    {
      name: 'IFC, spiral of 8000 corners in a list',
      make: () => makeIndexedOutlineIfc(makeSpiralCorners(8000, EARCUT_SPIRAL)),
    },
  ];
}

const GRID_COLUMNS = 500;

function* listGrid(triangles: number): Iterable<[corners: [number, number, number][]]> {
  const height = (x: number, y: number) => Math.sin(x / 9) * Math.cos(y / 7);
  const point = (x: number, y: number): [number, number, number] => [x, y, height(x, y)];
  for (let index = 0; index < triangles; index++) {
    const cell = index >> 1;
    const [x, y] = [cell % GRID_COLUMNS, Math.floor(cell / GRID_COLUMNS)];
    const opposite = index % 2 === 0 ? point(x, y) : point(x + 1, y + 1);
    yield [[opposite, point(x + 1, y), point(x, y + 1)]];
  }
}

export function makeGridObj(triangles: number): Buffer {
  const lines: string[] = [];
  for (const [corners] of listGrid(triangles))
    lines.push(...corners.map((corner) => `v ${corner.join(' ')}`), 'f -3 -2 -1');
  return Buffer.from(`o grid\n${lines.join('\n')}\n`);
}

function makeGridStl(triangles: number): Buffer {
  const stl = Buffer.alloc(84 + 50 * triangles);
  stl.writeUInt32LE(triangles, 80);
  let offset = 84 + 12;
  for (const [corners] of listGrid(triangles)) {
    for (const [index, value] of corners.flat().entries())
      stl.writeFloatLE(value, offset + 4 * index);
    offset += 50;
  }
  return stl;
}

function makeGrid3mf(triangles: number): Buffer {
  const vertices: string[] = [];
  const faces: string[] = [];
  for (const [corners] of listGrid(triangles)) {
    const first = vertices.length;
    vertices.push(...corners.map(([x, y, z]) => `<vertex x="${x}" y="${y}" z="${z}"/>`));
    faces.push(`<triangle v1="${first}" v2="${first + 1}" v3="${first + 2}"/>`);
  }
  const mesh = `<mesh><vertices>${vertices.join('')}</vertices><triangles>${faces.join('')}</triangles></mesh>`;
  return make3mfOf(make3mfModelXml({ mesh }));
}

function make3mfOf(model: string): Buffer {
  return makeZip(
    Object.fromEntries(make3mfZipEntries({ model }).map(({ name, bytes }) => [name, bytes])),
  );
}

function makeHuge3mf(scale: string): Buffer {
  const transform = `${scale} 0 0 0 ${scale} 0 0 0 ${scale} 0 0 0`;
  const model = make3mfModelXml().replace('<item ', `<item transform="${transform}" `);
  return make3mfOf(model);
}

/** Each object contains the one before twice. */
function makeNested3mf(depth: number): Buffer {
  const objects = Array.from({ length: depth }, (_, index) => {
    const component = `<component objectid="${index + 1}"/>`;
    return `<object id="${index + 2}" type="model"><components>${component}${component}</components></object>`;
  });
  return make3mfOf(make3mfModelXml({ objects: objects.join(''), build: depth + 1 }));
}

/** Walls of different lengths, each with a window that is subtracted. */
function makeWalls(count: number): Buffer {
  const lines: string[] = [];
  for (let index = 0; index < count; index++) {
    const id = 1000 + 20 * index;
    const length = (3 + (index % 17) / 10).toFixed(2);
    lines.push(
      `#${id}=IFCCARTESIANPOINT((${10 * (index % 50)}.,${5 * Math.floor(index / 50)}.,0.));`,
      `#${id + 1}=IFCAXIS2PLACEMENT3D(#${id},$,$);`,
      `#${id + 2}=IFCLOCALPLACEMENT(#35,#${id + 1});`,
      `#${id + 3}=IFCRECTANGLEPROFILEDEF(.AREA.,$,#58,${length},0.2);`,
      `#${id + 4}=IFCEXTRUDEDAREASOLID(#${id + 3},#21,#60,3.);`,
      `#${id + 5}=IFCRECTANGLEPROFILEDEF(.AREA.,$,#58,1.,1.);`,
      `#${id + 6}=IFCEXTRUDEDAREASOLID(#${id + 5},#21,#60,1.5);`,
      `#${id + 7}=IFCBOOLEANRESULT(.DIFFERENCE.,#${id + 4},#${id + 6});`,
      `#${id + 8}=IFCSHAPEREPRESENTATION(#20,'Body','CSG',(#${id + 7}));`,
      `#${id + 9}=IFCPRODUCTDEFINITIONSHAPE($,$,(#${id + 8}));`,
      `#${id + 10}=IFCWALL('0Wa11${String(index).padStart(17, '0')}',$,'Wall ${index}',$,$,#${id + 2},#${id + 9},$,.SOLIDWALL.);`,
    );
  }
  return Buffer.from(
    makeIfc()
      .toString()
      .replace('ENDSEC;\nEND-ISO', `${lines.join('\n')}\nENDSEC;\nEND-ISO`),
  );
}

async function makeTexturedZip(): Promise<Buffer> {
  const image = Buffer.from(await makeNoisePng(2048));
  return makeRawZip(makeGltfZipEntries(() => {}, { image }));
}

function makeLargeImageZip(): Buffer {
  return makeRawZip(makeGltfZipEntries(() => {}, { image: makeBlackPng(16_000) }));
}

function makeZeroZip(): Buffer {
  return makeZip({
    'model.obj': 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n',
    zeros: Buffer.alloc(200e6),
  });
}

function changeBox(change: (json: LooseGltf) => void): Buffer {
  const { json, bin } = makeUnpackedBox();
  change(json);
  return makeGlb({ json, bin });
}

function makeDeepGlb(depth: number): Buffer {
  return changeBox((json) => {
    const nodes = Array.from({ length: depth }, (_, index) => ({ children: [index + 1] }));
    json.nodes = [...nodes, { mesh: 0 }];
    json.scenes = [{ nodes: [0] }];
  });
}

function makeManyNodes(nodeCount: number, meshCount: number): Buffer {
  return changeBox((json) => {
    const [mesh] = json.meshes as object[];
    json.meshes = Array.from({ length: meshCount }, (_, index) => ({ ...mesh, name: `${index}` }));
    json.nodes = Array.from({ length: nodeCount }, (_, index) => ({
      mesh: index % meshCount,
      translation: [index % 100, Math.floor(index / 100), 0],
    }));
    json.scenes = [{ nodes: Array.from({ length: nodeCount }, (_, index) => index) }];
  });
}

function makeManyMaterials(count: number): Buffer {
  return changeBox((json) => {
    const [{ primitives }] = json.meshes as [{ primitives: object[] }];
    json.materials = Array.from({ length: count }, (_, index) => ({
      pbrMetallicRoughness: { roughnessFactor: index / count },
    }));
    json.meshes = Array.from({ length: count }, (_, material) => ({
      primitives: primitives.map((primitive) => ({ ...primitive, material })),
    }));
    json.nodes = Array.from({ length: count }, (_, mesh) => ({ mesh, translation: [mesh, 0, 0] }));
    json.scenes = [{ nodes: Array.from({ length: count }, (_, index) => index) }];
  });
}

/** Two thirds of the triangles have two equal corners. */
function makeDegenerateGlb(triangles: number): Buffer {
  const glb = makeGridGlb(triangles);
  const start = glb.length - 12 * triangles;
  for (let triangle = 0; triangle < triangles; triangle++) {
    if (triangle % 3 === 0) continue;
    const offset = start + 12 * triangle;
    glb.writeUInt32LE(glb.readUInt32LE(offset), offset + 4);
  }
  return glb;
}

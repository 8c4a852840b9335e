import type { Format } from '../../src/formats/registry.ts';
import { makeBinaryFbxScene } from '../formats/binary-fbx.ts';
import { makeRawZip, type ZipEntryInput } from '../formats/raw-zip.ts';
import { makeBox, makeUnpackedBox } from '../models.ts';
import { makePng } from '../png.ts';
import { makeMinimalBrep, makeMinimalIges, makeMinimalStep } from './valid-cad-files.ts';

/** A valid file, and its expected format. */
export type ValidFile = { name: string; bytes: Buffer; format: Format; modelPath?: string };

/** One small file of each format and of each encoding of a format. */
export function listValidFiles(): ValidFile[] {
  const { json, bin } = makeUnpackedBox();
  const uri = `data:application/octet-stream;base64,${bin.toString('base64')}`;
  const gltf = { ...json, buffers: [{ byteLength: bin.length, uri }] };
  return [
    { name: 'a GLB', bytes: makeBox({ textured: true, spinning: true }), format: 'glb' },
    { name: 'a glTF', bytes: Buffer.from(JSON.stringify(gltf)), format: 'gltf' },
    {
      name: 'a zip of a glTF',
      bytes: makeRawZip(makeGltfZipEntries()),
      format: 'gltf',
      modelPath: 'scene.gltf',
    },
    {
      name: 'a zip of a GLB',
      bytes: makeRawZip([{ name: 'a/box.glb', bytes: makeBox() }]),
      format: 'glb',
      modelPath: 'a/box.glb',
    },
    {
      name: 'a zip of an OBJ',
      bytes: makeRawZip(makeObjZipEntries()),
      format: 'obj',
      modelPath: 'cube/a b.obj',
    },
    { name: 'an OBJ', bytes: Buffer.from(makeMinimalObj()), format: 'obj' },
    { name: 'a binary STL', bytes: makeMinimalBinaryStl(), format: 'stl' },
    { name: 'an ASCII STL', bytes: Buffer.from(makeMinimalAsciiStl()), format: 'stl' },
    { name: 'an ASCII PLY', bytes: Buffer.from(makeMinimalAsciiPly()), format: 'ply' },
    { name: 'a binary PLY', bytes: makeMinimalBinaryPly(), format: 'ply' },
    { name: 'a 3MF', bytes: makeRawZip(make3mfZipEntries()), format: '3mf' },
    {
      name: 'a binary FBX',
      bytes: makeBinaryFbxScene(
        [2, 3],
        [
          [2, 0],
          [3, 2],
        ],
      ),
      format: 'fbx',
    },
    { name: 'an ASCII FBX', bytes: Buffer.from(makeMinimalAsciiFbx()), format: 'fbx' },
    { name: 'a COLLADA', bytes: Buffer.from(makeMinimalCollada()), format: 'dae' },
    { name: 'a STEP', bytes: Buffer.from(makeMinimalStep()), format: 'step' },
    { name: 'an IFC', bytes: Buffer.from(makeMinimalStep({ schema: 'IFC4' })), format: 'ifc' },
    { name: 'an IGES', bytes: Buffer.from(makeMinimalIges()), format: 'iges' },
    { name: 'a BREP', bytes: Buffer.from(makeMinimalBrep()), format: 'brep' },
  ];
}

/** A glTF with an external buffer and an external image. `change` modifies its JSON. */
export function makeGltfZipEntries(
  change: (json: Record<string, never>) => void = () => {},
  files: { bin?: (bin: Buffer) => Buffer; image?: Buffer } = {},
): ZipEntryInput[] {
  const { json, bin } = makeUnpackedBox({ textured: true });
  const model = structuredClone(json) as Record<string, unknown>;
  model.buffers = [{ byteLength: bin.length, uri: 'scene.bin' }];
  model.images = [{ uri: 'textures/a%20b.png' }];
  change(model as Record<string, never>);
  return [
    { name: '__MACOSX/._scene.gltf', bytes: 'resource fork' },
    { name: 'scene.gltf', bytes: JSON.stringify(model) },
    { name: 'scene.bin', bytes: files.bin?.(bin) ?? bin },
    { name: 'textures/a b.png', bytes: files.image ?? makePng(4, 4, [255, 0, 0]), stored: true },
  ];
}

/** Zip entries of an OBJ with an MTL and a texture. */
export function makeObjZipEntries({
  model = makeMinimalObj('mtllib a.mtl\nusemtl a'),
  materials = 'newmtl a\nmap_Kd red.png\n',
} = {}): ZipEntryInput[] {
  return [
    { name: 'cube/', bytes: '', stored: true, unixMode: 0o40755 },
    { name: 'cube/a b.obj', bytes: model },
    { name: 'cube/a.mtl', bytes: materials },
    { name: 'cube/red.png', bytes: makePng(4, 4, [255, 0, 0]) },
  ];
}

/** An OBJ of one triangle. */
export function makeMinimalObj(firstLine = '# comment'): string {
  return `${firstLine}\no Box\nv 0 0 0\nv 1 0 0\r\nv 0 1 0\nvt 0 0\nvn 0 0 1\nf 1/1/1 2//1 \\\n-1\n`;
}

/** A binary STL. */
export function makeMinimalBinaryStl({
  count = 2,
  facets = 2,
  head = 'solid, as some write',
} = {}): Buffer {
  const stl = Buffer.alloc(84 + 50 * facets);
  stl.write(head, 'latin1');
  stl.writeUInt32LE(count, 80);
  for (let facet = 0; facet < facets; facet++) stl.writeFloatLE(1, 84 + 50 * facet + 24);
  return stl;
}

/** An ASCII STL of one triangle. */
export function makeMinimalAsciiStl(vertex = '0 1 0'): string {
  const vertices = ['0 0 0', '1e0 0 0', vertex].map((point) => `      vertex ${point}\n`).join('');
  return `solid box\n  facet normal 0 0 1\n    outer loop\n${vertices}    endloop\n  endfacet\nendsolid box\n`;
}

const PLY_ELEMENTS = `element vertex 3
property float x
property float y
property float z
element face 1
property list uchar int vertex_indices
`;

/** An ASCII PLY of one triangle. */
export function makeMinimalAsciiPly({
  elements = PLY_ELEMENTS,
  rows = '0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n',
} = {}): string {
  return `ply\nformat ascii 1.0\ncomment by hand\n${elements}end_header\n${rows}`;
}

/** A binary PLY of one triangle. */
export function makeMinimalBinaryPly({
  elements = PLY_ELEMENTS,
  count = 3,
  last = 2,
} = {}): Buffer {
  const head = Buffer.from(`ply\nformat binary_little_endian 1.0\n${elements}end_header\n`);
  const points = Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]).buffer);
  const face = Buffer.from(new Int32Array([0, 1, last]).buffer);
  return Buffer.concat([head, points, Buffer.from([count]), face]);
}

const OPC_NAMESPACE = 'http://schemas.openxmlformats.org/package/2006';
const CORE_3MF_NAMESPACE = 'http://schemas.microsoft.com/3dmanufacturing/core/2015/02';

/** Zip entries of a 3MF. */
export function make3mfZipEntries({
  model = make3mfModelXml(),
  target = '/3D/3dmodel.model',
  mode = 'Internal',
} = {}): ZipEntryInput[] {
  const types =
    '<Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/>';
  const relation = `<Relationship Target="${target}" Id="r" TargetMode="${mode}" Type="${CORE_3MF_NAMESPACE}/3dmodel"/>`;
  return [
    {
      name: '[Content_Types].xml',
      bytes: `<Types xmlns="${OPC_NAMESPACE}/content-types">${types}</Types>`,
    },
    {
      name: '_rels/.rels',
      bytes: `<?xml version="1.0"?><Relationships xmlns="${OPC_NAMESPACE}/relationships">${relation}</Relationships>`,
    },
    { name: '3D/3dmodel.model', bytes: model },
  ];
}

const TETRAHEDRON = `<mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/>
<vertex x="0" y="0" z="1"/></vertices><triangles><triangle v1="0" v2="2" v3="1"/><triangle v1="0" v2="1" v3="3"/>
<triangle v1="1" v2="2" v3="3"/><triangle v1="0" v2="3" v3="2"/></triangles></mesh>`;

/** The model part of a 3MF. */
export function make3mfModelXml({
  head = '',
  mesh = TETRAHEDRON,
  objects = '',
  build = 1,
} = {}): string {
  return `<?xml version="1.0" encoding="UTF-8"?>${head}
<model unit="millimeter" xmlns="${CORE_3MF_NAMESPACE}"><resources><object id="1" type="model">${mesh}</object>${objects}</resources>
<build><item objectid="${build}"/></build></model>`;
}

/** An ASCII FBX. */
export function makeMinimalAsciiFbx(count = '9'): string {
  return `; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n\tFBXVersion: 7400\n}\nObjects:  {
\tGeometry: 1, "Geometry::Box; {", "Mesh" {\n\t\tVertices: *${count} {\n\t\t\ta: 0,0,0,1,0,0,0,1,0\n\t\t}\n\t}\n}\n`;
}

/** A COLLADA file. */
export function makeMinimalCollada({
  head = '',
  count = '9',
  nodes = '<node id="n"><instance_geometry url="#g"/></node>',
  image = '',
} = {}): string {
  return `<?xml version="1.0" encoding="utf-8"?>${head}
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><up_axis>Y_UP</up_axis></asset>
${image}<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="f" count="${count}">0 0 0 1 0 0 0 1 0</float_array>
<technique_common><accessor source="#f" count="3" stride="3"><param name="X" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s">${nodes}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>\n`;
}

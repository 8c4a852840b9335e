/**
 * What three.js stumbles over though glTF allows it, put right in the file's JSON before it is read.
 */
import type { GLTFLoaderPlugin, GLTFParser } from 'three/addons/loaders/GLTFLoader.js';

/** As much of the JSON as is looked at. */
export type FixableGltfJson = {
  nodes?: { mesh?: number; skin?: number; extras?: unknown }[];
  meshes?: object[];
  materials?: { name?: unknown }[];
};

type BufferViewJson = {
  buffer: number;
  byteOffset?: number;
  byteLength: number;
  byteStride?: number;
};

/** Makes three.js read what it would not. For `GLTFLoader.register`. */
export function createFixupPlugin(parser: GLTFParser): GLTFLoaderPlugin {
  fixGltfJson(parser.json as FixableGltfJson);
  return { name: 'CLOCHE_fixups', loadBufferView: (index) => loadPaddedBufferView(parser, index) };
}

/** Mends the JSON in place. */
export function fixGltfJson(json: FixableGltfJson): void {
  removeMaterialNames(json);
  removePivotExtras(json);
  splitSkinnedMeshes(json);
}

/** three.js writes the names of materials into its shaders, where a line break ends a statement. */
function removeMaterialNames({ materials = [] }: FixableGltfJson): void {
  for (const material of materials) delete material.name;
}

/** `extras.pivot` means something to three.js alone, which moves children and trusts its type. */
function removePivotExtras({ nodes = [] }: FixableGltfJson): void {
  for (const node of nodes) {
    if (typeof node.extras === 'object' && node.extras !== null && 'pivot' in node.extras) {
      const { pivot: _, ...rest } = node.extras;
      node.extras = rest;
    }
  }
}

/** A mesh that is used both with a skin and without becomes two: three.js makes both of one kind. */
function splitSkinnedMeshes({ nodes = [], meshes = [] }: FixableGltfJson): void {
  const skinned = new Set(nodes.filter(({ skin }) => skin !== undefined).map(({ mesh }) => mesh));
  const plain = new Map<number, number>();
  for (const node of nodes) {
    const { mesh, skin } = node;
    if (mesh === undefined || skin !== undefined || !skinned.has(mesh)) continue;
    if (!plain.has(mesh)) plain.set(mesh, meshes.push({ ...meshes[mesh] }) - 1);
    node.mesh = plain.get(mesh) as number;
  }
}

/** three.js reads whole strides, also the last, whose tail need not be there. */
function loadPaddedBufferView(parser: GLTFParser, index: number): Promise<ArrayBuffer> | null {
  const view = parser.json.bufferViews[index] as BufferViewJson;
  const { buffer, byteOffset = 0, byteLength, byteStride = 0 } = view;
  if (byteStride === 0) return null;
  return parser.getDependency('buffer', buffer).then((bytes: ArrayBuffer) => {
    const padded = new Uint8Array(byteLength + byteStride);
    padded.set(new Uint8Array(bytes, byteOffset, byteLength));
    return padded.buffer;
  });
}

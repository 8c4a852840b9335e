/**
 * Workarounds for valid glTF that three.js reads wrongly: its JSON is changed before three.js parses it.
 */
import type { GLTFLoaderPlugin, GLTFParser } from 'three/addons/loaders/GLTFLoader.js';

/** The parts of the JSON that are changed. */
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

/** The plugin that applies the workarounds. For `GLTFLoader.register`. */
export function createFixupPlugin(parser: GLTFParser): GLTFLoaderPlugin {
  fixGltfJson(parser.json as FixableGltfJson);
  return { name: 'CLOCHE_fixups', loadBufferView: (index) => loadPaddedBufferView(parser, index) };
}

/** Changes the JSON in place. */
export function fixGltfJson(json: FixableGltfJson): void {
  removeMaterialNames(json);
  removePivotExtras(json);
  splitSkinnedMeshes(json);
}

/** three.js writes material names into `#define`s of its shaders, where a line break ends the line. */
function removeMaterialNames({ materials = [] }: FixableGltfJson): void {
  for (const material of materials) delete material.name;
}

/** three.js moves the children of nodes with `extras.pivot`, whatever its type and meaning. */
function removePivotExtras({ nodes = [] }: FixableGltfJson): void {
  for (const node of nodes) {
    if (typeof node.extras === 'object' && node.extras !== null && 'pivot' in node.extras) {
      const { pivot: _, ...rest } = node.extras;
      node.extras = rest;
    }
  }
}

/** Duplicates meshes that are used with and without a skin: three.js would make both skinned. */
function splitSkinnedMeshes({ nodes = [], meshes = [] }: FixableGltfJson): void {
  const skinned = new Set(nodes.filter(({ skin }) => skin !== undefined).map(({ mesh }) => mesh));
  const copies = new Map<number, number>();
  for (const node of nodes) {
    const { mesh, skin } = node;
    if (mesh === undefined || skin !== undefined || !skinned.has(mesh)) continue;
    if (!copies.has(mesh)) copies.set(mesh, meshes.push({ ...meshes[mesh] }) - 1);
    node.mesh = copies.get(mesh) as number;
  }
}

/** Pads the buffer view: three.js reads the whole last stride, but the file may end before it does. */
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

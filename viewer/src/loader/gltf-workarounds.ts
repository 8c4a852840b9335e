/**
 * Workarounds for valid glTF files that three.js reads incorrectly. Most of them change the JSON before
 * three.js parses it.
 */
import type { GLTFLoaderPlugin, GLTFParser } from 'three/addons/loaders/GLTFLoader.js';

/** The parts of the JSON that are changed. */
type MutableGltfJson = {
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

/** Creates the plugin that applies the workarounds, for `GLTFLoader.register`. */
export function createWorkaroundPlugin(parser: GLTFParser): GLTFLoaderPlugin {
  applyJsonWorkarounds(parser.json as MutableGltfJson);
  return {
    name: 'CLOCHE_workarounds',
    loadBufferView: (index) => loadPaddedBufferView(parser, index),
  };
}

/** Applies the workarounds that change the JSON, in place. */
export function applyJsonWorkarounds(json: MutableGltfJson): void {
  removeMaterialNames(json);
  removePivotExtras(json);
  splitSkinnedMeshes(json);
}

/** three.js writes material names into `#define` lines of its shaders, where a line break is an error. */
function removeMaterialNames({ materials = [] }: MutableGltfJson): void {
  for (const material of materials) delete material.name;
}

/** three.js moves the children of nodes with `extras.pivot`, whatever its type and meaning. */
function removePivotExtras({ nodes = [] }: MutableGltfJson): void {
  for (const node of nodes) {
    if (typeof node.extras === 'object' && node.extras !== null && 'pivot' in node.extras) {
      const { pivot: _, ...rest } = node.extras;
      node.extras = rest;
    }
  }
}

/** Duplicates meshes that are used with and without a skin: three.js would make both skinned. */
function splitSkinnedMeshes({ nodes = [], meshes = [] }: MutableGltfJson): void {
  const skinned = new Set(nodes.filter(({ skin }) => skin !== undefined).map(({ mesh }) => mesh));
  const copies = new Map<number, number>();
  for (const node of nodes) {
    const { mesh, skin } = node;
    if (mesh === undefined || skin !== undefined || !skinned.has(mesh)) continue;
    if (!copies.has(mesh)) copies.set(mesh, meshes.push({ ...meshes[mesh] }) - 1);
    node.mesh = copies.get(mesh) as number;
  }
}

/** Pads an interleaved buffer view: three.js reads the last stride to its end, where the file may not have data. */
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

import type { GltfPatch, GltfPatchCase } from './patched-box.ts';

/** Invalid meshes and mesh compression. */
export function listMeshCases(): GltfPatchCase[] {
  const primitive = 'meshes.0.primitives.0';
  return [
    ['a missing attribute accessor', { [`${primitive}.attributes.POSITION`]: 99 }, 'index'],
    ['positions in two dimensions', { [`${primitive}.attributes.POSITION`]: 2 }, 'accessor-type'],
    ['an attribute with a reserved name', { [`${primitive}.attributes.position`]: 1 }, 'semantic'],
    ['attributes of different counts', { 'accessors.1.count': 23 }, 'count'],
    ['indices that are vectors', { [`${primitive}.indices`]: 0 }, 'accessor-type'],
    ['positions without data', { 'accessors.0.bufferView': undefined }, 'no-data'],
    ['an unknown mode', { [`${primitive}.mode`]: 7 }, 'range'],
    ['a missing material', { [`${primitive}.material`]: 1 }, 'index'],
    ['primitives that are an object', { 'meshes.0.primitives': {} }, 'type'],
    [
      'a morph target of another type',
      { [`${primitive}.targets`]: [{ POSITION: 5 }] },
      'accessor-type',
    ],
    ['weights without targets', { 'nodes.0.weights': [1] }, 'length'],
    ['positions of 32-bit integers', { 'accessors.0.componentType': 5125 }, 'accessor-type'],
    [
      'primitives with different numbers of targets',
      { 'meshes.0.primitives': mismatchedTargets() },
      'targets',
    ],
    ['a view of a fallback buffer', fallbackBufferPatch(), 'buffer'],
    [
      'Draco that is not in extensionsUsed',
      { ...invalidDracoPatch(), extensionsUsed: [] },
      'extension-undeclared',
    ],
    [
      'Draco with an attribute that the primitive does not have',
      invalidDracoPatch({ COLOR_0: 1 }),
      'draco',
    ],
    ['an invalid Draco stream', invalidDracoPatch(), 'draco'],
    ['an invalid meshopt stream', invalidMeshoptPatch({}), 'meshopt-header'],
    ['meshopt of an unknown mode', invalidMeshoptPatch({ mode: 'ZIP' }), 'type'],
    ['meshopt with a stride of 13', invalidMeshoptPatch({ byteStride: 13 }), 'meshopt-stride'],
    [
      'meshopt indices of three bytes',
      invalidMeshoptPatch({ mode: 'INDICES', byteStride: 12 }),
      'meshopt-stride',
    ],
    [
      'meshopt indices with a filter',
      invalidMeshoptPatch({ mode: 'INDICES', filter: 'QUATERNION' }),
      'meshopt-filter',
    ],
    [
      'meshopt with incomplete triangles',
      invalidMeshoptPatch({ mode: 'TRIANGLES', byteStride: 4, count: 100 }),
      'meshopt-count',
    ],
    [
      'meshopt normals of twelve bytes',
      invalidMeshoptPatch({ filter: 'OCTAHEDRAL' }),
      'meshopt-stride',
    ],
    ['meshopt of fewer bytes than its view', invalidMeshoptPatch({ count: 23 }), 'meshopt-count'],
    ['meshopt past its buffer', invalidMeshoptPatch({ byteLength: 1e6 }), 'range'],
    [
      'meshopt that is too short for its count',
      invalidMeshoptPatch({ count: 100_000 }),
      'meshopt-count',
    ],
  ];
}

function mismatchedTargets(): object[] {
  const primitive = { attributes: { POSITION: 0 } };
  return [{ ...primitive, targets: [{ POSITION: 0 }] }, primitive];
}

function fallbackBufferPatch(): GltfPatch {
  const extensions = { EXT_meshopt_compression: { fallback: true } };
  return { 'buffers.1': { byteLength: 9999, extensions }, 'bufferViews.0.buffer': 1 };
}

function invalidDracoPatch(attributes: object = { POSITION: 0 }): GltfPatch {
  return {
    extensionsUsed: ['KHR_draco_mesh_compression'],
    'meshes.0.primitives.0.extensions.KHR_draco_mesh_compression': {
      bufferView: 0,
      attributes,
    },
  };
}

function invalidMeshoptPatch(patch: object): GltfPatch {
  const extension = { buffer: 0, byteLength: 288, byteStride: 12, count: 24, mode: 'ATTRIBUTES' };
  return { 'bufferViews.0.extensions.EXT_meshopt_compression': { ...extension, ...patch } };
}

import type { GltfPatch, GltfPatchCase } from './patched-box.ts';

/** Invalid nodes, skins, scenes, lights, cameras and instances. */
export function listNodeCases(): GltfPatchCase[] {
  const light = (type: string) => ({ 'extensions.KHR_lights_punctual': { lights: [{ type }] } });
  const instanced = { attributes: { TRANSLATION: 2 } };
  return [
    ['a node that is its own child', { 'nodes.0.children': [0] }, 'cycle'],
    ['a cycle of two nodes', { nodes: [{ children: [1] }, { children: [0] }] }, 'cycle'],
    [
      'a node with two parents',
      { nodes: [{ children: [2] }, { children: [2] }, {}] },
      'two-parents',
    ],
    ['a missing child', { 'nodes.0.children': [1] }, 'index'],
    ['a missing mesh', { 'nodes.0.mesh': 1 }, 'index'],
    ['a missing camera', { 'nodes.0.camera': 0 }, 'index'],
    ['a missing skin', { 'nodes.0.skin': 0 }, 'index'],
    ['a joint that the skin does not have', skinnedPatch(), 'joint'],
    ['fewer bind matrices than joints', bindMatricesPatch(), 'count'],
    ['a skin without joints', { skins: [{ joints: [] }] }, 'length'],
    ['a skin of a missing joint', { skins: [{ joints: [5] }] }, 'index'],
    [
      'bind matrices of another type',
      { skins: [{ joints: [0], inverseBindMatrices: 0 }] },
      'accessor-type',
    ],
    [
      'a matrix and a scale',
      { 'nodes.0': { matrix: new Array(16).fill(0), scale: [1, 1, 1] } },
      'transform',
    ],
    ['a matrix of twelve numbers', { 'nodes.0.matrix': new Array(12).fill(0) }, 'length'],
    ['a scale of 1e300', { 'nodes.0.scale': [1e300, 1, 1] }, 'transform'],
    ['a missing scene', { scene: 1 }, 'index'],
    ['a missing node in a scene', { 'scenes.0.nodes': [1] }, 'index'],
    ['a node twice in a scene', { 'scenes.0.nodes': [0, 0] }, 'scene'],
    [
      'a child as the root of a scene',
      { nodes: [{ children: [1] }, {}], 'scenes.0.nodes': [1] },
      'scene',
    ],
    ['a light of an unknown type', light('laser'), 'type'],
    [
      'a missing light',
      { ...light('spot'), 'nodes.0.extensions.KHR_lights_punctual.light': 1 },
      'index',
    ],
    ['a camera without a projection', { cameras: [{ type: 'perspective' }] }, 'missing'],
    [
      'instances without a translation vector',
      { 'nodes.0.extensions.EXT_mesh_gpu_instancing': instanced },
      'accessor-type',
    ],
  ];
}

/** Joint indices that are bytes of texture coordinates, and so greater than 0. */
function skinnedPatch(): GltfPatch {
  return {
    skins: [{ joints: [0] }],
    'nodes.0.skin': 0,
    'accessors.6': { bufferView: 2, componentType: 5121, count: 24, type: 'VEC4' },
    'meshes.0.primitives.0.attributes.JOINTS_0': 6,
  };
}

function bindMatricesPatch(): GltfPatch {
  const matrices = { componentType: 5126, count: 1, type: 'MAT4' };
  const skins = [{ joints: [0, 1], inverseBindMatrices: 6 }];
  return { skins, 'accessors.6': matrices, 'nodes.1': {} };
}

/** Invalid animations. */
export function listAnimationCases(): GltfPatchCase[] {
  const sampler = 'animations.0.samplers.0';
  const channel = 'animations.0.channels.0';
  return [
    ['a missing sampler', { [`${channel}.sampler`]: 1 }, 'index'],
    ['a missing target', { [`${channel}.target.node`]: 1 }, 'index'],
    ['an unknown path', { [`${channel}.target.path`]: 'color' }, 'type'],
    ['values of another type', { [`${channel}.target.path`]: 'scale' }, 'accessor-type'],
    ['fewer values than times', { [`${sampler}.interpolation`]: 'CUBICSPLINE' }, 'count'],
    ['an unknown interpolation', { [`${sampler}.interpolation`]: 'WILD' }, 'type'],
    ['times that are vectors', { [`${sampler}.input`]: 0 }, 'accessor-type'],
  ];
}

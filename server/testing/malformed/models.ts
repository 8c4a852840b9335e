import type { ProblemCode } from '@cloche/contract/problem';
import type { Malformed } from '../malformed.ts';
import { type Patch, spoil } from './spoil.ts';

type Row = [name: string, patch: Patch, reason: string, code?: ProblemCode];

/** Small files with something wrong inside: mostly one value of a box. */
export function* brokenModels(): Iterable<Malformed> {
  const tables = [addresses(), buffers(), accessors(), materials(), meshes(), scenes(), motions()];
  for (const [name, patch, reason, code = 'design.unreadable'] of tables.flat()) {
    yield { name, bytes: spoil(patch), code, reason };
  }
  yield* brokenData();
}

function addresses(): Row[] {
  const image = 'images.0.uri';
  return [
    ['a buffer in a system file', { 'buffers.0.uri': '/etc/passwd' }, 'uri'],
    ['a buffer at a file: address', { 'buffers.0.uri': 'file:///etc/passwd' }, 'uri'],
    ['a buffer on the network', { 'buffers.0.uri': 'http://169.254.169.254/latest' }, 'uri'],
    ['a buffer beside the file', { 'buffers.0.uri': 'Box0.bin' }, 'uri'],
    ['an image on the network', { [image]: 'https://evil.example/a.png' }, 'uri'],
    ['an image up the tree', { [image]: '../../../secret.png' }, 'uri'],
    ['an image at a blob: address', { [image]: 'blob:https://a.example/1' }, 'uri'],
    ['a uri in an unknown extension', { 'extensions.EVIL_sound.uri': '//evil.example/a' }, 'uri'],
    ['a uri that is a number', { 'buffers.0.uri': 5 }, 'type'],
    ['a data: URI too short', { 'buffers.0.uri': 'data:;base64,AAAA' }, 'range'],
    ['a data: URI without data', { 'buffers.0.uri': 'data:text/plain' }, 'uri'],
    ['a required extension nobody knows', required('EVIL_magic'), 'extension-unsupported'],
    ['an extension name of control characters', { extensionsUsed: ['\u202e\u0007'] }, 'name'],
    [
      'required but not used',
      { extensionsRequired: ['KHR_materials_unlit'] },
      'extension-undeclared',
    ],
  ];
}

function required(name: string): Patch {
  return { extensionsUsed: [name], extensionsRequired: [name] };
}

function buffers(): Row[] {
  return [
    ['a buffer longer than the BIN chunk', { 'buffers.0.byteLength': 1e6 }, 'range'],
    ['a second buffer without data', { 'buffers.1': { byteLength: 4 } }, 'buffer'],
    ['a buffer of negative length', { 'buffers.0.byteLength': -1 }, 'range'],
    ['a view of a missing buffer', { 'bufferViews.0.buffer': 1 }, 'index'],
    ['a view past its buffer', { 'bufferViews.3.byteOffset': 1e9 }, 'range'],
    ['a view at a negative offset', { 'bufferViews.0.byteOffset': -4 }, 'range'],
    ['a view at half a byte', { 'bufferViews.0.byteOffset': 0.5 }, 'type'],
    ['a view that wraps around 32 bits', { 'bufferViews.0.byteOffset': 2 ** 32 }, 'range'],
    ['a stride of 256', { 'bufferViews.0.byteStride': 256 }, 'range'],
    ['buffers in an object', { buffers: { 0: {} } }, 'type'],
    ['a buffer that is null', { 'buffers.0': null }, 'type'],
    ['a name that is a number', { 'nodes.0.name': 7 }, 'type'],
  ];
}

function accessors(): Row[] {
  const indices = { bufferView: 3, componentType: 5123 };
  const sparse = (patch: object) => ({
    'accessors.0.sparse': { count: 2, indices, values: { bufferView: 0 }, ...patch },
  });
  return [
    ['an accessor of a missing view', { 'accessors.3.bufferView': 17 }, 'index'],
    ['an accessor of view -1', { 'accessors.3.bufferView': -1 }, 'index'],
    ['an accessor past its view', { 'accessors.0.count': 25 }, 'range'],
    ['an accessor of no elements', { 'accessors.0.count': 0 }, 'range'],
    ['an accessor of 1e300 elements', { 'accessors.0.count': 1e300 }, 'range'],
    ['an accessor off its alignment', { 'accessors.3.byteOffset': 1 }, 'alignment'],
    ['a stride shorter than an element', { 'bufferViews.0.byteStride': 8 }, 'stride'],
    ['a stride off the component', { 'bufferViews.0.byteStride': 14 }, 'stride'],
    ['an unknown component type', { 'accessors.0.componentType': 5124 }, 'type'],
    ['an unknown element type', { 'accessors.0.type': 'VEC5' }, 'type'],
    ['normalized floats', { 'accessors.0.normalized': true }, 'type'],
    ['bounds of two numbers', { 'accessors.0.min': [0, 0] }, 'length'],
    ['bounds that are texts', { 'accessors.0.max': ['a', 'b', 'c'] }, 'type'],
    [
      'sparse indices that do not rise',
      sparse({ indices: { ...indices, byteOffset: 4 } }),
      'sparse',
    ],
    ['more sparse values than elements', sparse({ count: 25 }), 'range'],
    [
      'sparse values past their view',
      sparse({ values: { bufferView: 0, byteOffset: 280 } }),
      'range',
    ],
    [
      'a sparse index out of range',
      sparse({ count: 1, indices: { bufferView: 3, componentType: 5125 } }),
      'sparse',
    ],
  ];
}

function materials(): Row[] {
  const base = 'materials.0.pbrMetallicRoughness';
  const sheen = 'materials.0.extensions.KHR_materials_sheen';
  return [
    ['a missing texture', { [`${base}.baseColorTexture.index`]: 1 }, 'index'],
    ['a texture info of null', { 'materials.0.normalTexture': null }, 'type'],
    [
      'a missing texture in an extension',
      { [`${sheen}.sheenColorTexture`]: { index: 9 } },
      'index',
    ],
    ['a factor of null', { 'materials.0.emissiveFactor': null }, 'type'],
    ['a texture without an image', { 'textures.0.source': undefined }, 'texture-source'],
    ['a missing image', { 'textures.0.source': 3 }, 'index'],
    ['a missing sampler', { 'textures.0.sampler': 3 }, 'index'],
    ['an unknown filter', { 'samplers.0.magFilter': 1 }, 'type'],
    ['an image in two places', { 'images.0.uri': 'data:,' }, 'image'],
    ['an image nowhere', { 'images.0.bufferView': undefined }, 'image'],
    ['an image that is none', { 'images.0.bufferView': 0 }, 'image-format'],
    ['an SVG for an image', svg(), 'image-format'],
    ['a variant that is not there', variants(1), 'index'],
    [
      'unlit without saying so',
      { 'materials.0.extensions.KHR_materials_unlit': {} },
      'extension-undeclared',
    ],
  ];
}

function svg(): Patch {
  return { 'images.0': { uri: 'data:image/svg+xml,<svg onload="alert(1)"/>' } };
}

function variants(index: number): Patch {
  return {
    'extensions.KHR_materials_variants': { variants: [{ name: 'Red' }] },
    'meshes.0.primitives.0.extensions.KHR_materials_variants': {
      mappings: [{ material: 0, variants: [index] }],
    },
  };
}

function meshes(): Row[] {
  const primitive = 'meshes.0.primitives.0';
  return [
    ['a missing attribute accessor', { [`${primitive}.attributes.POSITION`]: 99 }, 'index'],
    ['positions in two dimensions', { [`${primitive}.attributes.POSITION`]: 2 }, 'accessor-type'],
    ['an attribute of the viewer', { [`${primitive}.attributes.position`]: 1 }, 'semantic'],
    ['attributes of unlike counts', { 'accessors.1.count': 23 }, 'count'],
    ['indices that are vectors', { [`${primitive}.indices`]: 0 }, 'accessor-type'],
    ['an unknown mode', { [`${primitive}.mode`]: 7 }, 'range'],
    ['a missing material', { [`${primitive}.material`]: 1 }, 'index'],
    ['primitives in an object', { 'meshes.0.primitives': {} }, 'type'],
    [
      'a morph target of another type',
      { [`${primitive}.targets`]: [{ POSITION: 5 }] },
      'accessor-type',
    ],
    ['weights without targets', { 'nodes.0.weights': [1] }, 'length'],
    ['Draco that is none', draco(), 'draco'],
    ['meshopt that is none', meshopt({}), 'meshopt'],
    ['meshopt of an unknown mode', meshopt({ mode: 'ZIP' }), 'type'],
    ['meshopt of an odd stride', meshopt({ byteStride: 13 }), 'meshopt'],
    ['meshopt past its buffer', meshopt({ byteLength: 1e6 }), 'range'],
    ['meshopt shorter than it can be', meshopt({ count: 100_000 }), 'meshopt'],
  ];
}

function draco(): Patch {
  return {
    extensionsUsed: ['KHR_draco_mesh_compression'],
    'meshes.0.primitives.0.extensions.KHR_draco_mesh_compression': {
      bufferView: 0,
      attributes: { POSITION: 0 },
    },
  };
}

function meshopt(patch: object): Patch {
  const whole = { buffer: 0, byteLength: 288, byteStride: 12, count: 24, mode: 'ATTRIBUTES' };
  return { 'bufferViews.0.extensions.EXT_meshopt_compression': { ...whole, ...patch } };
}

function scenes(): Row[] {
  const light = (type: string) => ({ 'extensions.KHR_lights_punctual': { lights: [{ type }] } });
  const instanced = { attributes: { TRANSLATION: 2 } };
  return [
    ['a node that is its own child', { 'nodes.0.children': [0] }, 'cycle'],
    ['two nodes in a circle', { nodes: [{ children: [1] }, { children: [0] }] }, 'cycle'],
    [
      'a node with two parents',
      { nodes: [{ children: [2] }, { children: [2] }, {}] },
      'two-parents',
    ],
    ['a missing child', { 'nodes.0.children': [1] }, 'index'],
    ['a missing mesh', { 'nodes.0.mesh': 1 }, 'index'],
    ['a missing camera', { 'nodes.0.camera': 0 }, 'index'],
    ['a missing skin', { 'nodes.0.skin': 0 }, 'index'],
    ['a joint the skin lacks', skinned(), 'joint'],
    ['a skin without joints', { skins: [{ joints: [] }] }, 'length'],
    ['a skin of a missing joint', { skins: [{ joints: [5] }] }, 'index'],
    [
      'bind matrices that are none',
      { skins: [{ joints: [0], inverseBindMatrices: 0 }] },
      'accessor-type',
    ],
    [
      'a matrix and a scale',
      { 'nodes.0': { matrix: new Array(16).fill(0), scale: [1, 1, 1] } },
      'transform',
    ],
    ['a matrix of twelve numbers', { 'nodes.0.matrix': new Array(12).fill(0) }, 'length'],
    ['a scale out of all bounds', { 'nodes.0.scale': [1e300, 1, 1] }, 'transform'],
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
    ['a camera without a lens', { cameras: [{ type: 'perspective' }] }, 'missing'],
    [
      'instances at no place',
      { 'nodes.0.extensions.EXT_mesh_gpu_instancing': instanced },
      'accessor-type',
    ],
  ];
}

/** Joints that are the bytes of texture coordinates: far more than one. */
function skinned(): Patch {
  return {
    skins: [{ joints: [0] }],
    'nodes.0.skin': 0,
    'accessors.6': { bufferView: 2, componentType: 5121, count: 24, type: 'VEC4' },
    'meshes.0.primitives.0.attributes.JOINTS_0': 6,
  };
}

function motions(): Row[] {
  const sampler = 'animations.0.samplers.0';
  const channel = 'animations.0.channels.0';
  return [
    ['a missing sampler', { [`${channel}.sampler`]: 1 }, 'index'],
    ['a missing target', { [`${channel}.target.node`]: 1 }, 'index'],
    ['an unknown path', { [`${channel}.target.path`]: 'colour' }, 'type'],
    ['values of another type', { [`${channel}.target.path`]: 'scale' }, 'accessor-type'],
    ['fewer values than times', { [`${sampler}.interpolation`]: 'CUBICSPLINE' }, 'count'],
    ['an unknown interpolation', { [`${sampler}.interpolation`]: 'WILD' }, 'type'],
    ['times that are vectors', { [`${sampler}.input`]: 0 }, 'accessor-type'],
  ];
}

/** Sound JSON over data that is not. */
function* brokenData(): Iterable<Malformed> {
  const code = 'design.unreadable';
  const data = (name: string, reason: string, change: (bin: Buffer) => void): Malformed => ({
    name,
    bytes: spoil({}, { bin: (bin) => void change(bin) }),
    code,
    reason,
  });
  const indicesAt = 24 * 32;
  const timesAt = indicesAt + 72;
  yield data('a NaN for a position', 'not-finite', (bin) => bin.writeFloatLE(Number.NaN, 40));
  yield data('an infinite position', 'not-finite', (bin) => bin.writeUInt32LE(0x7f800000, 0));
  yield data('an index without a vertex', 'index-value', (bin) => bin.writeUInt16LE(24, indicesAt));
  yield data('a NaN for a time', 'not-finite', (bin) => bin.writeFloatLE(Number.NaN, timesAt));
  yield data('an image cut short', 'image-header', (bin) => bin.fill(0, bin.indexOf('IHDR')));
}

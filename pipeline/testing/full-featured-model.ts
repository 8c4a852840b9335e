import { randomBytes } from 'node:crypto';
import { Document, type Material, type Mesh, type Primitive } from '@gltf-transform/core';
import {
  KHRLightsPunctual,
  KHRMaterialsAnisotropy,
  KHRMaterialsClearcoat,
  KHRMaterialsDispersion,
  KHRMaterialsEmissiveStrength,
  KHRMaterialsIOR,
  KHRMaterialsIridescence,
  KHRMaterialsSheen,
  KHRMaterialsSpecular,
  KHRMaterialsTransmission,
  KHRMaterialsUnlit,
  KHRMaterialsVariants,
  KHRMaterialsVolume,
} from '@gltf-transform/extensions';
import sharp from 'sharp';

/** Creates a document with one empty scene and one buffer that logs nothing. */
export function createTestDocument(): Document {
  const document = new Document();
  const silent = () => undefined;
  document.setLogger({ debug: silent, info: silent, warn: silent, error: silent });
  document.createBuffer();
  document.getRoot().setDefaultScene(document.createScene('Scene'));
  return document;
}

/** Creates a wavy sheet of 8 × 8 squares, 1 m wide, with normals and texture coordinates. */
export function createSheetMesh(document: Document, material: Material): Mesh {
  const side = 8;
  const [positions, normals, coordinates, indices]: number[][] = [[], [], [], []];
  for (let vertex = 0; vertex < (side + 1) ** 2; vertex++) {
    const [u, v] = [(vertex % (side + 1)) / side, Math.floor(vertex / (side + 1)) / side];
    const slope = 0.6 * Math.cos(6 * u);
    const length = Math.hypot(slope, 1);
    positions?.push(u - 0.5, 0.1 * Math.sin(6 * u), v - 0.5);
    normals?.push(-slope / length, 1 / length, 0);
    coordinates?.push(u, v);
  }
  for (let square = 0; square < side * side; square++) {
    const corner = Math.floor(square / side) * (side + 1) + (square % side);
    const [right, below] = [corner + 1, corner + side + 1];
    indices?.push(corner, below, right, right, below, below + 1);
  }
  const primitive = document
    .createPrimitive()
    .setMaterial(material)
    .setIndices(createFilledAccessor(document, 'SCALAR', new Uint16Array(indices ?? [])))
    .setAttribute(
      'POSITION',
      createFilledAccessor(document, 'VEC3', new Float32Array(positions ?? [])),
    )
    .setAttribute('NORMAL', createFilledAccessor(document, 'VEC3', new Float32Array(normals ?? [])))
    .setAttribute(
      'TEXCOORD_0',
      createFilledAccessor(document, 'VEC2', new Float32Array(coordinates ?? [])),
    );
  return document.createMesh('Sheet').addPrimitive(primitive);
}

/** Creates an accessor with these values in the document's buffer. */
function createFilledAccessor(
  document: Document,
  type: 'SCALAR' | 'VEC2' | 'VEC3' | 'VEC4' | 'MAT4',
  array: Float32Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint8Array<ArrayBuffer>,
) {
  const buffer = document.getRoot().listBuffers()[0] ?? null;
  return document.createAccessor().setType(type).setArray(array).setBuffer(buffer);
}

/** Creates a PNG of noise in every channel, and in the alpha channel if `alpha` is true. */
export async function makeNoisePng(
  size: number,
  { alpha = false } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const channels = alpha ? 4 : 3;
  // Enlarged coarse noise compresses about as well as a photograph, and has no repeated pattern.
  const coarse = Math.max(2, size >> 4);
  const seed = randomBytes(coarse * coarse * channels);
  const png = await sharp(seed, { raw: { width: coarse, height: coarse, channels } })
    .resize(size, size, { kernel: 'cubic' })
    .png()
    .toBuffer();
  return new Uint8Array(png);
}

/** The material extensions, and a value to set in each. */
export const MATERIAL_EXTENSION_SAMPLES = {
  KHR_materials_anisotropy: {
    type: KHRMaterialsAnisotropy,
    method: 'createAnisotropy',
    set: { setAnisotropyStrength: 0.25 },
  },
  KHR_materials_clearcoat: {
    type: KHRMaterialsClearcoat,
    method: 'createClearcoat',
    set: { setClearcoatFactor: 0.75 },
  },
  KHR_materials_dispersion: {
    type: KHRMaterialsDispersion,
    method: 'createDispersion',
    set: { setDispersion: 0.5 },
  },
  KHR_materials_emissive_strength: {
    type: KHRMaterialsEmissiveStrength,
    method: 'createEmissiveStrength',
    set: { setEmissiveStrength: 4 },
  },
  KHR_materials_ior: { type: KHRMaterialsIOR, method: 'createIOR', set: { setIOR: 1.25 } },
  KHR_materials_iridescence: {
    type: KHRMaterialsIridescence,
    method: 'createIridescence',
    set: { setIridescenceFactor: 0.5 },
  },
  KHR_materials_sheen: {
    type: KHRMaterialsSheen,
    method: 'createSheen',
    set: { setSheenRoughnessFactor: 0.5 },
  },
  KHR_materials_specular: {
    type: KHRMaterialsSpecular,
    method: 'createSpecular',
    set: { setSpecularFactor: 0.5 },
  },
  KHR_materials_transmission: {
    type: KHRMaterialsTransmission,
    method: 'createTransmission',
    set: { setTransmissionFactor: 0.5 },
  },
  KHR_materials_unlit: { type: KHRMaterialsUnlit, method: 'createUnlit', set: {} },
  KHR_materials_volume: {
    type: KHRMaterialsVolume,
    method: 'createVolume',
    set: { setThicknessFactor: 0.5, setAttenuationDistance: 2 },
  },
} as const;

/** Adds a sheet for each material extension, next to each other and named after the extension. */
export function addExtensionMaterials(document: Document): void {
  for (const [index, [name, { type, method, set }]] of Object.entries(
    MATERIAL_EXTENSION_SAMPLES,
  ).entries()) {
    const extension = document.createExtension(type as never) as unknown as Record<
      string,
      () => never
    >;
    const property = (extension[method] as () => Record<string, (value: unknown) => void>).call(
      extension,
    );
    for (const [setter, value] of Object.entries(set)) property[setter]?.(value);
    const material = document
      .createMaterial(name)
      .setBaseColorFactor([index / 16, 0.5, 1 - index / 16, 1]);
    material.setExtension(name, property as never);
    addMeshNode(document, name, createSheetMesh(document, material)).setTranslation([
      2 * index,
      0,
      0,
    ]);
  }
}

/** Adds a node with a mesh to the scene. */
export function addMeshNode(document: Document, name: string, mesh: Mesh) {
  const node = document.createNode(name).setMesh(mesh);
  document.getRoot().getDefaultScene()?.addChild(node);
  return node;
}

/** Creates a model with an animation, a morph target, a skin, a camera, a light, and variants. */
export async function makeFullFeaturedModel(): Promise<Document> {
  const document = createTestDocument();
  const image = await makeNoisePng(64);
  const texture = document.createTexture('Noise').setImage(image).setMimeType('image/png');
  const cloth = document.createMaterial('Cloth').setBaseColorTexture(texture);
  const plain = document.createMaterial('Plain').setBaseColorFactor([0.25, 0.5, 0.75, 1]);

  addAnimatedNode(document, createSheetMesh(document, cloth));
  addMorphTargetNode(document, createSheetMesh(document, plain));
  addSkinnedNode(document, createSheetMesh(document, cloth));
  addVariantsNode(document, plain, cloth);
  addExtensionMaterials(document);
  const light = document.createExtension(KHRLightsPunctual).createLight('Lamp').setIntensity(7);
  const camera = document.createCamera('Eye').setType('perspective').setYFov(0.5).setZNear(0.1);
  document
    .getRoot()
    .getDefaultScene()
    ?.addChild(
      document.createNode('Stand').setCamera(camera).setExtension('KHR_lights_punctual', light),
    );
  return document;
}

function addAnimatedNode(document: Document, mesh: Mesh): void {
  const node = addMeshNode(document, 'Swing', mesh).setTranslation([0, 0, 3]);
  const times = createFilledAccessor(document, 'SCALAR', new Float32Array([0, 1, 2]));
  const half = Math.SQRT1_2;
  const turns = new Float32Array([0, 0, 0, 1, 0, half, 0, half, 0, 1, 0, 0]);
  const sampler = document
    .createAnimationSampler()
    .setInput(times)
    .setOutput(createFilledAccessor(document, 'VEC4', turns));
  const channel = document
    .createAnimationChannel()
    .setTargetNode(node)
    .setTargetPath('rotation')
    .setSampler(sampler);
  document.createAnimation('Swinging').addSampler(sampler).addChannel(channel);
}

function addMorphTargetNode(document: Document, mesh: Mesh): void {
  const primitive = mesh.listPrimitives()[0] as Primitive;
  const count = primitive.getAttribute('POSITION')?.getCount() ?? 0;
  const offsets = new Float32Array(count * 3).map((_, index) =>
    index % 3 === 1 ? 0.01 * index : 0,
  );
  const target = document
    .createPrimitiveTarget('Raised')
    .setAttribute('POSITION', createFilledAccessor(document, 'VEC3', offsets));
  primitive.addTarget(target);
  mesh.setWeights([0.5]).setExtras({ targetNames: ['Raised'] });
  addMeshNode(document, 'Bent', mesh).setTranslation([0, 0, 6]);
}

function addSkinnedNode(document: Document, mesh: Mesh): void {
  const primitive = mesh.listPrimitives()[0] as Primitive;
  const positions = primitive.getAttribute('POSITION')?.getArray() as Float32Array;
  const count = positions.length / 3;
  const [joints, weights] = [new Uint16Array(count * 4), new Float32Array(count * 4)];
  for (let vertex = 0; vertex < count; vertex++) {
    joints.set([0, 1, 0, 0], vertex * 4);
    const weight = (positions[vertex * 3] ?? 0) + 0.5;
    weights.set([1 - weight, weight, 0, 0], vertex * 4);
  }
  primitive
    .setAttribute('JOINTS_0', createFilledAccessor(document, 'VEC4', joints))
    .setAttribute('WEIGHTS_0', createFilledAccessor(document, 'VEC4', weights));
  const [hip, knee] = [
    document.createNode('Hip'),
    document.createNode('Knee').setTranslation([0.5, 0, 0]),
  ];
  const identity = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
  const matrices = new Float32Array(32);
  matrices.set(identity, 0);
  matrices.set([...identity.subarray(0, 12), -0.5, 0, 0, 1], 16);
  const skin = document.createSkin('Bones').addJoint(hip).addJoint(knee);
  skin.setInverseBindMatrices(createFilledAccessor(document, 'MAT4', matrices)).setSkeleton(hip);
  document.getRoot().getDefaultScene()?.addChild(hip.addChild(knee));
  addMeshNode(document, 'Leg', mesh).setSkin(skin);
}

function addVariantsNode(document: Document, own: Material, other: Material): void {
  const extension = document.createExtension(KHRMaterialsVariants);
  const variant = extension.createVariant('Woven');
  const mapping = extension.createMapping().setMaterial(other).addVariant(variant);
  const mesh = createSheetMesh(document, own);
  mesh
    .listPrimitives()[0]
    ?.setExtension('KHR_materials_variants', extension.createMappingList().addMapping(mapping));
  addMeshNode(document, 'Dress', mesh).setTranslation([0, 0, 9]);
}

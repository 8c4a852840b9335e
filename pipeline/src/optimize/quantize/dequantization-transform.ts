import {
  type AnimationChannel,
  type Document,
  type Mesh,
  type Node,
  PropertyType,
  type Skin,
  type vec3,
  type vec4,
} from '@gltf-transform/core';
import type { InstancedMesh } from '@gltf-transform/extensions';

/** Maps integers to positions: `offset + step * integer`. */
export type QuantizationGrid = { offset: vec3; step: number };

/** Changes every node that draws the mesh so that quantized positions appear where they were. */
export function applyDequantizationTransform(
  document: Document,
  mesh: Mesh,
  grid: QuantizationGrid,
): void {
  const transformedSkins = new Map<Skin, Skin>();
  const nodes = mesh
    .listParents()
    .filter((parent): parent is Node => parent.propertyType === PropertyType.NODE);
  for (const node of nodes) {
    const skin = node.getSkin();
    const instancedMesh = node.getExtension<InstancedMesh>('EXT_mesh_gpu_instancing');
    if (skin) {
      const transformed = transformedSkins.get(skin) ?? transformSkin(document, skin, grid);
      transformedSkins.set(skin, transformed);
      node.setSkin(transformed);
    } else if (instancedMesh) transformInstances(document, instancedMesh, grid);
    else transformNode(getOrCreateMeshNode(document, node, mesh), grid);
  }
  for (const skin of transformedSkins.keys()) {
    const isUnused = skin
      .listParents()
      .every((parent) => parent.propertyType === PropertyType.ROOT);
    if (isUnused) skin.dispose();
  }
}

/**
 * Returns the node if nothing else depends on its transform; otherwise inserts a child node for the
 * mesh.
 */
function getOrCreateMeshNode(document: Document, node: Node, mesh: Mesh): Node {
  const parents = node.listParents();
  const channels = parents.filter(
    (parent): parent is AnimationChannel => parent.propertyType === PropertyType.ANIMATION_CHANNEL,
  );
  const isAnimated = channels.some((channel) => channel.getTargetPath() !== 'weights');
  const isJoint = parents.some((parent) => parent.propertyType === PropertyType.SKIN);
  const hasOnlyMesh =
    node.listChildren().length === 0 &&
    node.getCamera() === null &&
    node.listExtensions().length === 0;
  if (!isAnimated && !isJoint && hasOnlyMesh) return node;

  const meshNode = document.createNode().setMesh(mesh).setWeights(node.getWeights());
  node.addChild(meshNode).setMesh(null).setWeights([]);
  for (const channel of channels) {
    if (channel.getTargetPath() === 'weights') channel.setTargetNode(meshNode);
  }
  return meshNode;
}

/** Inserts a transform before that of the node. */
export function transformNode(node: Node, { offset, step }: QuantizationGrid): void {
  const scale = node.getScale();
  const shift = rotateVector(multiplyVectors(offset, scale), node.getRotation());
  node.setTranslation(addVectors(node.getTranslation(), shift));
  node.setScale(scale.map((factor) => factor * step) as vec3);
}

function transformSkin(document: Document, skin: Skin, { offset, step }: QuantizationGrid): Skin {
  const source = skin.getInverseBindMatrices();
  const count = skin.listJoints().length;
  const array = new Float32Array(count * 16);
  const matrix: number[] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  for (let joint = 0; joint < count; joint++) {
    source?.getElement(joint, matrix);
    for (let row = 0; row < 4; row++) {
      const cell = (column: number) => matrix[column * 4 + row] as number;
      const shift = cell(0) * offset[0] + cell(1) * offset[1] + cell(2) * offset[2];
      for (const column of [0, 1, 2]) array[joint * 16 + column * 4 + row] = cell(column) * step;
      array[joint * 16 + 12 + row] = cell(3) + shift;
    }
  }
  const accessor = document.createAccessor().setType('MAT4').setArray(array);
  accessor.setBuffer(source?.getBuffer() ?? document.getRoot().listBuffers()[0] ?? null);
  return skin.clone().setInverseBindMatrices(accessor);
}

function transformInstances(
  document: Document,
  instancedMesh: InstancedMesh,
  { offset, step }: QuantizationGrid,
): void {
  const getElement = <T>(semantic: string, index: number, defaultValue: T): T => {
    const accessor = instancedMesh.getAttribute(semantic);
    return accessor ? (accessor.getElement(index, []) as T) : defaultValue;
  };
  const count = instancedMesh.listAttributes()[0]?.getCount() ?? 0;
  const translations = new Float32Array(count * 3);
  const scales = new Float32Array(count * 3);
  for (let index = 0; index < count; index++) {
    const translation = getElement<vec3>('TRANSLATION', index, [0, 0, 0]);
    const rotation = getElement<vec4>('ROTATION', index, [0, 0, 0, 1]);
    const scale = getElement<vec3>('SCALE', index, [1, 1, 1]);
    const shift = rotateVector(multiplyVectors(offset, scale), rotation);
    translations.set(addVectors(translation, shift), index * 3);
    const scaled = scale.map((factor) => factor * step);
    scales.set(scaled, index * 3);
  }
  const buffer = document.getRoot().listBuffers()[0] ?? null;
  for (const [semantic, array] of [
    ['TRANSLATION', translations],
    ['SCALE', scales],
  ] as const) {
    const accessor = document.createAccessor().setType('VEC3').setArray(array).setBuffer(buffer);
    instancedMesh.setAttribute(semantic, accessor);
  }
}

function multiplyVectors(a: vec3, b: vec3): vec3 {
  return [a[0] * b[0], a[1] * b[1], a[2] * b[2]];
}

function addVectors(a: vec3, b: vec3): vec3 {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

/** Rotates a vector by a unit quaternion. */
function rotateVector([x, y, z]: vec3, [qx, qy, qz, qw]: vec4): vec3 {
  const tx = 2 * (qy * z - qz * y);
  const ty = 2 * (qz * x - qx * z);
  const tz = 2 * (qx * y - qy * x);
  return [
    x + qw * tx + qy * tz - qz * ty,
    y + qw * ty + qz * tx - qx * tz,
    z + qw * tz + qx * ty - qy * tx,
  ];
}

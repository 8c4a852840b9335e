import {
  type Accessor,
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

/** Whole numbers times `step`, from `offset` on. */
export type QuantizationGrid = { offset: vec3; step: number };

/** Has every node that draws the mesh put it from its grid to where it was. */
export function applyDequantizationTransform(
  document: Document,
  mesh: Mesh,
  grid: QuantizationGrid,
): void {
  const skins = new Map<Skin, Skin>();
  const nodes = mesh.listParents().filter((it): it is Node => it.propertyType === 'Node');
  for (const node of nodes) {
    const skin = node.getSkin();
    const batch = node.getExtension<InstancedMesh>('EXT_mesh_gpu_instancing');
    if (skin) {
      const moved = skins.get(skin) ?? transformSkin(document, skin, grid);
      skins.set(skin, moved);
      node.setSkin(moved);
    } else if (batch) transformInstances(document, batch, grid);
    else transformNode(getOrCreateMeshNode(document, node, mesh), grid);
  }
  for (const skin of skins.keys()) {
    if (skin.listParents().every((it) => it.propertyType === PropertyType.ROOT)) skin.dispose();
  }
}

/** The node itself where nothing else of it would move; else a new one beneath it. */
function getOrCreateMeshNode(document: Document, node: Node, mesh: Mesh): Node {
  const channels = node
    .listParents()
    .filter((it): it is AnimationChannel => it.propertyType === PropertyType.ANIMATION_CHANNEL);
  const moving = channels.some((channel) => channel.getTargetPath() !== 'weights');
  const joint = node.listParents().some((it) => it.propertyType === PropertyType.SKIN);
  const alone = node.listChildren().length === 0 && node.getCamera() === null;
  if (!moving && !joint && alone && node.listExtensions().length === 0) return node;

  const carrier = document.createNode().setMesh(mesh).setWeights(node.getWeights());
  node.addChild(carrier).setMesh(null).setWeights([]);
  for (const channel of channels) {
    if (channel.getTargetPath() === 'weights') channel.setTargetNode(carrier);
  }
  return carrier;
}

function transformNode(node: Node, { offset, step }: QuantizationGrid): void {
  const scale = node.getScale();
  const moved = rotateVector(multiplyVectors(offset, scale), node.getRotation());
  node.setTranslation(addVectors(node.getTranslation(), moved));
  node.setScale(scale.map((part) => part * step) as vec3);
}

function transformSkin(document: Document, skin: Skin, { offset, step }: QuantizationGrid): Skin {
  const moved = skin.clone();
  const source = skin.getInverseBindMatrices();
  const count = skin.listJoints().length;
  const array = new Float32Array(count * 16);
  const matrix: number[] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  for (let joint = 0; joint < count; joint++) {
    source?.getElement(joint, matrix);
    for (let row = 0; row < 4; row++) {
      const column = (at: number) => matrix[at * 4 + row] as number;
      const shift = column(0) * offset[0] + column(1) * offset[1] + column(2) * offset[2];
      for (const at of [0, 1, 2]) array[joint * 16 + at * 4 + row] = column(at) * step;
      array[joint * 16 + 12 + row] = column(3) + shift;
    }
  }
  const accessor = document.createAccessor().setType('MAT4').setArray(array);
  accessor.setBuffer(source?.getBuffer() ?? document.getRoot().listBuffers()[0] ?? null);
  return moved.setInverseBindMatrices(accessor);
}

function transformInstances(
  document: Document,
  batch: InstancedMesh,
  { offset, step }: QuantizationGrid,
): void {
  const [translations, rotations, scales] = ['TRANSLATION', 'ROTATION', 'SCALE'].map((semantic) =>
    batch.getAttribute(semantic),
  );
  const count = batch.listAttributes()[0]?.getCount() ?? 0;
  const moved = new Float32Array(count * 3);
  const scaled = new Float32Array(count * 3);
  for (let at = 0; at < count; at++) {
    const element = <T>(accessor: Accessor | null | undefined, absent: T): T =>
      accessor ? (accessor.getElement(at, []) as T) : absent;
    const scale = element<vec3>(scales, [1, 1, 1]);
    const turned = rotateVector(
      multiplyVectors(offset, scale),
      element<vec4>(rotations, [0, 0, 0, 1]),
    );
    moved.set(addVectors(element<vec3>(translations, [0, 0, 0]), turned), at * 3);
    scaled.set(
      scale.map((part) => part * step),
      at * 3,
    );
  }
  const buffer = document.getRoot().listBuffers()[0] ?? null;
  for (const [semantic, array] of [
    ['TRANSLATION', moved],
    ['SCALE', scaled],
  ] as const) {
    const accessor = document.createAccessor().setType('VEC3').setArray(array).setBuffer(buffer);
    batch.setAttribute(semantic, accessor);
  }
}

function multiplyVectors(one: vec3, other: vec3): vec3 {
  return [one[0] * other[0], one[1] * other[1], one[2] * other[2]];
}

function addVectors(one: vec3, other: vec3): vec3 {
  return [one[0] + other[0], one[1] + other[1], one[2] + other[2]];
}

/** Turns a point by a unit quaternion. */
export function rotateVector([x, y, z]: vec3, [qx, qy, qz, qw]: vec4): vec3 {
  const tx = 2 * (qy * z - qz * y);
  const ty = 2 * (qz * x - qx * z);
  const tz = 2 * (qx * y - qy * x);
  return [
    x + qw * tx + qy * tz - qz * ty,
    y + qw * ty + qz * tx - qx * tz,
    z + qw * tz + qx * ty - qy * tx,
  ];
}

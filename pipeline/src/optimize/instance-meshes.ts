import {
  type Document,
  MathUtils,
  type Mesh,
  type mat4,
  type Node,
  PropertyType,
  type Scene,
  type vec3,
  type vec4,
} from '@gltf-transform/core';
import { EXTMeshGPUInstancing, type Volume } from '@gltf-transform/extensions';
import { multiplyMatrices } from '../mesh/matrix.ts';
import { disposeTree } from './dispose-tree.ts';
import { findDistantCenter } from './distant-center.ts';
import { findDefaultScene } from './model-counts.ts';
import { isTriangleList, listPrimitiveMaterials } from './primitive-modes.ts';

/** With fewer copies, the instance attributes would cost more than the draw calls they save. */
const MIN_INSTANCES = 5;

/**
 * A node that only draws a mesh. `topNode` is the node itself, or its highest ancestor that contains
 * nothing else; it is replaced by an instance. `parent` is the parent of `topNode`, and `matrix` is
 * the transform from the mesh to `parent`.
 */
type MeshCopy = { node: Node; topNode: Node; parent: Node | Scene; matrix: mat4; name: string };

/**
 * Replaces copies of a mesh with the same parent by one instanced mesh (EXT_mesh_gpu_instancing). The
 * names of the copies are stored in `extras.names`, in the order of the instances.
 */
export function instanceMeshes(document: Document): void {
  const defaultScene = findDefaultScene(document);
  for (const mesh of document.getRoot().listMeshes()) {
    if (!canInstance(mesh)) continue;
    for (const [parent, copies] of groupCopiesByParent(mesh)) {
      const isShown = parent === defaultScene || parent.propertyType === 'Node';
      if (isShown && copies.length >= MIN_INSTANCES)
        createInstancedNode(document, mesh, parent, copies);
    }
  }
}

/**
 * Whether instances of a mesh render like separate nodes. Morph targets and variants are set per
 * node, and thickness ignores the scale of an instance.
 */
function canInstance(mesh: Mesh): boolean {
  return mesh.listPrimitives().every((primitive) => {
    if (primitive.listTargets().length > 0 || !isTriangleList(primitive)) return false;
    if (primitive.getExtension('KHR_materials_variants')) return false;
    return listPrimitiveMaterials(primitive).every((material) => {
      const volume = material.getExtension<Volume>('KHR_materials_volume');
      return volume === null || volume.getThicknessFactor() === 0;
    });
  });
}

function groupCopiesByParent(mesh: Mesh): Map<Node | Scene, MeshCopy[]> {
  const copiesByParent = new Map<Node | Scene, MeshCopy[]>();
  for (const node of mesh.listParents()) {
    const copy = node.propertyType === 'Node' ? toMeshCopy(node as Node) : undefined;
    if (copy === undefined) continue;
    const copies = copiesByParent.get(copy.parent);
    if (copies) copies.push(copy);
    else copiesByParent.set(copy.parent, [copy]);
  }
  return copiesByParent;
}

function toMeshCopy(node: Node): MeshCopy | undefined {
  if (!isPlainNode(node) || node.getSkin() || node.listChildren().length > 0) return undefined;
  let [topNode, ancestor, name] = [node, node.getParentNode(), node.getName()];
  let matrix = node.getMatrix();
  while (ancestor && hasOnlyOneChild(ancestor)) {
    matrix = multiplyMatrices(ancestor.getMatrix(), matrix);
    [topNode, name] = [ancestor, ancestor.getName() || name];
    ancestor = ancestor.getParentNode();
  }
  const scene = topNode
    .listParents()
    .find((parent): parent is Scene => parent.propertyType === 'Scene');
  const parent = ancestor ?? scene;
  return parent && isDecomposable(matrix) ? { node, topNode, parent, matrix, name } : undefined;
}

/** Whether a plain node has no mesh and exactly one child. */
function hasOnlyOneChild(node: Node): boolean {
  return isPlainNode(node) && !node.getMesh() && node.listChildren().length === 1;
}

/**
 * Whether a node has no camera, extension or extras, and only its parent refers to it: neither an
 * animation nor a skin.
 */
function isPlainNode(node: Node): boolean {
  const { ROOT, SCENE, NODE } = PropertyType;
  const hierarchyTypes: ReadonlySet<string> = new Set([ROOT, SCENE, NODE]);
  return (
    node.listParents().every((parent) => hierarchyTypes.has(parent.propertyType)) &&
    node.getCamera() === null &&
    node.listExtensions().length === 0 &&
    Object.keys(node.getExtras()).length === 0
  );
}

/** Whether a matrix has no shear, which instances do not support, and does not mirror the mesh. */
function isDecomposable(matrix: mat4): boolean {
  const { translation, rotation, scale } = decompose(matrix);
  if (scale[0] * scale[1] * scale[2] <= 0) return false;
  const composed = MathUtils.compose(translation, rotation, scale, new Array(16).fill(0) as mat4);
  const maxScale = Math.max(...scale.map(Math.abs), 1e-12);
  return composed.every(
    (value, index) =>
      Math.abs(value - (matrix[index] ?? 0)) <=
      1e-4 * (index < 12 ? maxScale : Math.abs(value) + maxScale),
  );
}

function createInstancedNode(
  document: Document,
  mesh: Mesh,
  parent: Node | Scene,
  copies: MeshCopy[],
): void {
  const transforms = copies.map(({ matrix }) => decompose(matrix));
  // Before they are stored with fewer digits; see centerInstances for those in the source file.
  const center = findDistantCenter(transforms.map(({ translation }) => translation)) ?? [0, 0, 0];
  const [translations, rotations, scales] = [
    transforms.map(({ translation: [x, y, z] }) => [x - center[0], y - center[1], z - center[2]]),
    transforms.map(({ rotation }) => rotation),
    transforms.map(({ scale }) => scale),
  ];
  const isIdentity = (values: number[][], identity: number[]) =>
    values.every((value) => MathUtils.eq(value, identity, 1e-6));
  const buffer = document.getRoot().listBuffers()[0] ?? null;
  const createAccessor = (type: 'VEC3' | 'VEC4', values: number[][]) =>
    document
      .createAccessor()
      .setType(type)
      .setArray(new Float32Array(values.flat()))
      .setBuffer(buffer);

  const instancedMesh = document
    .createExtension(EXTMeshGPUInstancing)
    .setRequired(true)
    .createInstancedMesh();
  instancedMesh.setAttribute('TRANSLATION', createAccessor('VEC3', translations));
  if (!isIdentity(rotations, [0, 0, 0, 1]))
    instancedMesh.setAttribute('ROTATION', createAccessor('VEC4', rotations));
  if (!isIdentity(scales, [1, 1, 1]))
    instancedMesh.setAttribute('SCALE', createAccessor('VEC3', scales));

  const node = document.createNode(mesh.getName()).setMesh(mesh).setTranslation(center);
  node.setExtension('EXT_mesh_gpu_instancing', instancedMesh);
  const names = copies.map(({ name }) => name);
  if (names.some((name) => name !== '')) node.setExtras({ names });
  parent.addChild(node);
  for (const { topNode } of copies) disposeTree(topNode);
}

function decompose(matrix: mat4): { translation: vec3; rotation: vec4; scale: vec3 } {
  const [translation, rotation, scale]: [vec3, vec4, vec3] = [
    [0, 0, 0],
    [0, 0, 0, 1],
    [1, 1, 1],
  ];
  MathUtils.decompose(matrix, translation, rotation, scale);
  return { translation, rotation, scale };
}

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
import { listPrimitiveMaterials } from './model-counts.ts';
import { multiplyMatrices } from './scene-bounds.ts';

/** Fewer copies are cheaper drawn one by one than described as a batch. */
const MIN_INSTANCES = 5;

/** A node that draws a mesh and nothing else, with the nodes above that only carry it. */
type MeshCopy = { node: Node; root: Node; parent: Node | Scene; matrix: mat4; name: string };

/**
 * Draws copies of a mesh beneath one parent as one batch. The batch keeps their names, in the order
 * of its instances, as `extras.names`: who picks an instance can still say what it is.
 */
export function instanceMeshes(document: Document): void {
  const scene = document.getRoot().getDefaultScene() ?? document.getRoot().listScenes()[0];
  for (const mesh of document.getRoot().listMeshes()) {
    if (!canInstance(mesh)) continue;
    const byParent = new Map<Node | Scene, MeshCopy[]>();
    for (const node of mesh.listParents()) {
      const copy = node.propertyType === 'Node' ? toMeshCopy(node as Node) : undefined;
      if (copy === undefined) continue;
      const copies = byParent.get(copy.parent);
      if (copies) copies.push(copy);
      else byParent.set(copy.parent, [copy]);
    }
    for (const [parent, copies] of byParent) {
      const shown = parent === scene || parent.propertyType === 'Node';
      if (shown && copies.length >= MIN_INSTANCES)
        createInstancedNode(document, mesh, parent, copies);
    }
  }
}

/** Morph targets and variants are set for each node; thickness ignores the scale of an instance. */
function canInstance(mesh: Mesh): boolean {
  return mesh.listPrimitives().every((primitive) => {
    if (primitive.listTargets().length > 0 || primitive.getMode() !== 4) return false;
    if (primitive.getExtension('KHR_materials_variants')) return false;
    return listPrimitiveMaterials(primitive).every((material) => {
      const volume = material.getExtension<Volume>('KHR_materials_volume');
      return volume === null || volume.getThicknessFactor() === 0;
    });
  });
}

function toMeshCopy(node: Node): MeshCopy | undefined {
  if (!isPlain(node) || node.getSkin() || node.listChildren().length > 0) return undefined;
  let [root, parent, name] = [node, node.getParentNode(), node.getName()];
  let matrix = node.getMatrix();
  while (parent && isPlain(parent) && !parent.getMesh() && parent.listChildren().length === 1) {
    matrix = multiplyMatrices(parent.getMatrix(), matrix);
    [root, name] = [parent, parent.getName() || name];
    parent = parent.getParentNode();
  }
  const scene = root.listParents().find((it): it is Scene => it.propertyType === 'Scene');
  const place = parent ?? scene;
  return place && isDecomposable(matrix) ? { node, root, parent: place, matrix, name } : undefined;
}

/** Nothing refers to it but its parent: no animation, no skin; and it carries nothing of its own. */
function isPlain(node: Node): boolean {
  const { ROOT, SCENE, NODE } = PropertyType;
  const structural: ReadonlySet<string> = new Set([ROOT, SCENE, NODE]);
  return (
    node.listParents().every((it) => structural.has(it.propertyType)) &&
    node.getCamera() === null &&
    node.listExtensions().length === 0 &&
    Object.keys(node.getExtras()).length === 0
  );
}

/** Neither sheared, which an instance cannot be, nor mirrored, which would turn it inside out. */
function isDecomposable(matrix: mat4): boolean {
  const { translation, rotation, scale } = decompose(matrix);
  if (scale[0] * scale[1] * scale[2] <= 0) return false;
  const again = MathUtils.compose(translation, rotation, scale, new Array(16).fill(0) as mat4);
  const size = Math.max(...scale.map(Math.abs), 1e-12);
  return again.every(
    (value, at) =>
      Math.abs(value - (matrix[at] ?? 0)) <= 1e-4 * (at < 12 ? size : Math.abs(value) + size),
  );
}

function createInstancedNode(
  document: Document,
  mesh: Mesh,
  parent: Node | Scene,
  copies: MeshCopy[],
): void {
  const parts = copies.map(({ matrix }) => decompose(matrix));
  const buffer = document.getRoot().listBuffers()[0] ?? null;
  const batch = document
    .createExtension(EXTMeshGPUInstancing)
    .setRequired(true)
    .createInstancedMesh();
  const add = (semantic: string, type: 'VEC3' | 'VEC4', values: number[][], same: number[]) => {
    const array = new Float32Array(values.flat());
    if (semantic !== 'TRANSLATION' && values.every((it) => MathUtils.eq(it, same, 1e-6))) return;
    const accessor = document.createAccessor().setType(type).setArray(array).setBuffer(buffer);
    batch.setAttribute(semantic, accessor);
  };
  add(
    'TRANSLATION',
    'VEC3',
    parts.map((it) => it.translation),
    [0, 0, 0],
  );
  add(
    'ROTATION',
    'VEC4',
    parts.map((it) => it.rotation),
    [0, 0, 0, 1],
  );
  add(
    'SCALE',
    'VEC3',
    parts.map((it) => it.scale),
    [1, 1, 1],
  );

  const node = document.createNode(mesh.getName()).setMesh(mesh);
  node.setExtension('EXT_mesh_gpu_instancing', batch);
  const names = copies.map(({ name }) => name);
  if (names.some((name) => name !== '')) node.setExtras({ names });
  parent.addChild(node);
  for (const { root } of copies) disposeTree(root);
}

function disposeTree(node: Node): void {
  for (const child of node.listChildren()) disposeTree(child);
  node.dispose();
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

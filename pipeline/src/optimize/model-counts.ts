import type { ModelCounts } from '@cloche/contract/model-stats';
import type { Document, Mesh, Node, Primitive, Scene } from '@gltf-transform/core';
import type { InstancedMesh } from '@gltf-transform/extensions';
import { isTriangleList, isTriangleStripOrFan } from './primitive-modes.ts';

/** Counts the content of a document in the same way as the validation counts that of a file. */
export function computeModelCounts(document: Document): Omit<ModelCounts, 'bytes'> {
  const root = document.getRoot();
  const meshes = root.listMeshes();
  return {
    triangles: countSceneTriangles(findDefaultScene(document)),
    vertices: countVertices(meshes),
    nodes: root.listNodes().length,
    meshes: meshes.length,
    materials: root.listMaterials().length,
    textures: root.listTextures().length,
    animations: root.listAnimations().length,
    variants: countVariants(document),
  };
}

/** Returns the scene that is shown: the default scene, or the first if there is none. */
export function findDefaultScene(document: Document): Scene | undefined {
  return document.getRoot().getDefaultScene() ?? document.getRoot().listScenes()[0];
}

/** Counts the draw calls of a scene: one per primitive, however many instances it has. */
export function countDrawCalls(scene: Scene | undefined): number {
  let count = 0;
  scene?.traverse((node) => {
    count += node.getMesh()?.listPrimitives().length ?? 0;
  });
  return count;
}

/** Counts the triangles of a primitive; 0 for points and lines. */
export function countPrimitiveTriangles(primitive: Primitive): number {
  const count = (primitive.getIndices() ?? primitive.getAttribute('POSITION'))?.getCount() ?? 0;
  if (isTriangleList(primitive)) return Math.floor(count / 3);
  return isTriangleStripOrFan(primitive) ? Math.max(count - 2, 0) : 0;
}

/** Counts the triangles of a scene, including those of all instances. */
export function countSceneTriangles(scene: Scene | undefined): number {
  let triangles = 0;
  scene?.traverse((node) => {
    const primitives = node.getMesh()?.listPrimitives() ?? [];
    const perInstance = primitives.reduce(
      (sum, primitive) => sum + countPrimitiveTriangles(primitive),
      0,
    );
    triangles += perInstance * countInstances(node);
  });
  return triangles;
}

/** Counts how often a node draws its mesh. */
export function countInstances(node: Node): number {
  const instancedMesh = node.getExtension<InstancedMesh>('EXT_mesh_gpu_instancing');
  return instancedMesh?.listAttributes()[0]?.getCount() ?? 1;
}

function countVertices(meshes: readonly Mesh[]): number {
  const positions = new Set(
    meshes
      .flatMap((mesh) => mesh.listPrimitives())
      .map((primitive) => primitive.getAttribute('POSITION')),
  );
  return [...positions].reduce((sum, accessor) => sum + (accessor?.getCount() ?? 0), 0);
}

function countVariants(document: Document): number {
  const extension = document
    .getRoot()
    .listExtensionsUsed()
    .find(({ extensionName }) => extensionName === 'KHR_materials_variants');
  const properties = extension?.listProperties() ?? [];
  return properties.filter(({ propertyType }) => propertyType === 'Variant').length;
}

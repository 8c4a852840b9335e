import type { ModelCounts } from '@cloche/contract/model-stats';
import type { Document, Mesh, Node, Primitive, Scene } from '@gltf-transform/core';
import type { InstancedMesh, Mapping, MappingList } from '@gltf-transform/extensions';

/** What a document is made of, counted as the preflight counts a file. */
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

/** The scene that is shown: the default one, else the first. */
export function findDefaultScene(document: Document): Scene | undefined {
  return document.getRoot().getDefaultScene() ?? document.getRoot().listScenes()[0];
}

/** Triangles that a scene draws, instances counted. */
export function countSceneTriangles(scene: Scene | undefined): number {
  let triangles = 0;
  scene?.traverse((node) => {
    const each = node
      .getMesh()
      ?.listPrimitives()
      .reduce((sum, it) => sum + countPrimitiveTriangles(it), 0);
    triangles += (each ?? 0) * countInstances(node);
  });
  return triangles;
}

/** Primitives that a scene draws, a batch of instances being one. */
export function countDrawCalls(scene: Scene | undefined): number {
  let draws = 0;
  scene?.traverse((node) => {
    draws += node.getMesh()?.listPrimitives().length ?? 0;
  });
  return draws;
}

export function countPrimitiveTriangles(primitive: Primitive): number {
  const mode = primitive.getMode();
  const count = (primitive.getIndices() ?? primitive.getAttribute('POSITION'))?.getCount() ?? 0;
  if (mode === 4) return Math.floor(count / 3);
  return mode > 4 ? Math.max(count - 2, 0) : 0;
}

/** How often a node draws its mesh. */
export function countInstances(node: Node): number {
  const batch = node.getExtension<InstancedMesh>('EXT_mesh_gpu_instancing');
  return batch?.listAttributes()[0]?.getCount() ?? 1;
}

/** Every material a primitive may wear: its own, and those of variants. */
export function listPrimitiveMaterials(primitive: Primitive) {
  const own = primitive.getMaterial();
  const mappings = primitive.getExtension<MappingList>('KHR_materials_variants')?.listMappings();
  const others = (mappings ?? []).map((mapping: Mapping) => mapping.getMaterial());
  return [...new Set([own, ...others])].filter((material) => material !== null);
}

function countVertices(meshes: readonly Mesh[]): number {
  const positions = new Set(
    meshes.flatMap((mesh) => mesh.listPrimitives()).map((it) => it.getAttribute('POSITION')),
  );
  return [...positions].reduce((sum, accessor) => sum + (accessor?.getCount() ?? 0), 0);
}

function countVariants(document: Document): number {
  const extension = document
    .getRoot()
    .listExtensionsUsed()
    .find(({ extensionName }) => extensionName === 'KHR_materials_variants');
  return extension?.listProperties().filter((it) => it.propertyType === 'Variant').length ?? 0;
}

import { type Material, Mesh, type Object3D } from 'three';
import type { GLTF, GLTFParser } from 'three/addons/loaders/GLTFLoader.js';

const EXTENSION_NAME = 'KHR_materials_variants';

type VariantMapping = { material: number; variants: number[] };
type PrimitiveJson = { extensions?: { [EXTENSION_NAME]?: { mappings?: VariantMapping[] } } };
type MeshWithVariants = {
  mesh: Mesh;
  defaultMaterial: Material | Material[];
  mappings: VariantMapping[];
};

/** The looks a design comes in (KHR_materials_variants), which three.js leaves to its users. */
export class MaterialVariants {
  /** The looks' names, as the file has them: never trust them as HTML. */
  readonly names: readonly string[];
  readonly #parser: GLTFParser;
  readonly #meshesWithVariants: readonly MeshWithVariants[];
  #selected: number | undefined;

  constructor({ parser }: GLTF, root: Object3D) {
    this.#parser = parser;
    const listed = (parser.json.extensions?.[EXTENSION_NAME]?.variants ?? []) as {
      name?: unknown;
    }[];
    this.names = listed.map(({ name }) => (typeof name === 'string' ? name : ''));
    this.#meshesWithVariants = this.names.length > 0 ? findMeshesWithVariants(parser, root) : [];
  }

  /** Puts a look on; undefined is the file's own. Textures it needs are read now. */
  async select(variant: number | undefined): Promise<void> {
    this.#selected = variant;
    const changes = await Promise.all(
      this.#meshesWithVariants.map(async (dressed) => ({
        dressed,
        material: await this.#findMaterial(dressed, variant),
      })),
    );
    // Somebody who chooses quickly wants the last choice.
    if (this.#selected !== variant) return;
    for (const { dressed, material } of changes) {
      dressed.mesh.material = material;
      if (material !== dressed.defaultMaterial) this.#parser.assignFinalMaterial(dressed.mesh);
    }
  }

  async #findMaterial(
    { defaultMaterial, mappings }: MeshWithVariants,
    variant: number | undefined,
  ): Promise<Material | Material[]> {
    const mapping = mappings.find(({ variants }) => variants.includes(variant ?? -1));
    if (mapping === undefined) return defaultMaterial;
    return (await this.#parser.getDependency('material', mapping.material)) as Material;
  }
}

function findMeshesWithVariants(parser: GLTFParser, root: Object3D): MeshWithVariants[] {
  const dressed: MeshWithVariants[] = [];
  root.traverse((mesh) => {
    if (!(mesh instanceof Mesh)) return;
    const place = parser.associations.get(mesh) as
      | { meshes?: number; primitives?: number }
      | undefined;
    const primitives = parser.json.meshes?.[place?.meshes ?? -1]?.primitives as
      | PrimitiveJson[]
      | undefined;
    const mappings = primitives?.[place?.primitives ?? 0]?.extensions?.[EXTENSION_NAME]?.mappings;
    if (mappings !== undefined) dressed.push({ mesh, defaultMaterial: mesh.material, mappings });
  });
  return dressed;
}

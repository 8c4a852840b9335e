import { type Material, Mesh, type Object3D } from 'three';
import type { GLTF, GLTFParser } from 'three/addons/loaders/GLTFLoader.js';
import { removeEmptyTextures } from './model-materials.ts';

const EXTENSION_NAME = 'KHR_materials_variants';

type VariantMapping = { material: number; variants: number[] };
type PrimitiveJson = { extensions?: { [EXTENSION_NAME]?: { mappings?: VariantMapping[] } } };
type MeshWithVariants = {
  mesh: Mesh;
  defaultMaterial: Material | Material[];
  mappings: VariantMapping[];
};

/** The material variants of a model (KHR_materials_variants), which three.js does not implement. */
export class MaterialVariants {
  /** The names of the variants. Untrusted text. Empty strings for variants without a name. */
  readonly names: readonly string[];
  readonly #parser: GLTFParser;
  readonly #meshesWithVariants: readonly MeshWithVariants[];
  readonly #images: Promise<unknown>;
  #selected: number | undefined;

  /** @param images resolves when the images of the model are decoded */
  constructor({ parser }: GLTF, root: Object3D, images: Promise<unknown>) {
    this.#parser = parser;
    this.#images = images;
    const variants = (parser.json.extensions?.[EXTENSION_NAME]?.variants ?? []) as {
      name?: unknown;
    }[];
    this.names = variants.map(({ name }) => (typeof name === 'string' ? name : ''));
    this.#meshesWithVariants = this.names.length > 0 ? findMeshesWithVariants(parser, root) : [];
  }

  /** The index of the variant that was selected last. */
  get selected(): number | undefined {
    return this.#selected;
  }

  /** Loads the materials of a variant and applies them; undefined restores the default materials. */
  async select(variant: number | undefined): Promise<void> {
    this.#selected = variant;
    const changes = await Promise.all(
      this.#meshesWithVariants.map(async (target) => ({
        target,
        material: await this.#findMaterial(target, variant),
      })),
    );
    await this.#images;
    // Another variant may have been selected in the meantime.
    if (this.#selected !== variant) return;
    for (const { target, material } of changes) {
      target.mesh.material = material;
      if (material !== target.defaultMaterial) this.#parser.assignFinalMaterial(target.mesh);
      removeEmptyTextures(target.mesh);
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
  const meshes: MeshWithVariants[] = [];
  root.traverse((mesh) => {
    if (!(mesh instanceof Mesh)) return;
    const association = parser.associations.get(mesh) as
      | { meshes?: number; primitives?: number }
      | undefined;
    const primitives = parser.json.meshes?.[association?.meshes ?? -1]?.primitives as
      | PrimitiveJson[]
      | undefined;
    const mappings =
      primitives?.[association?.primitives ?? 0]?.extensions?.[EXTENSION_NAME]?.mappings;
    if (mappings !== undefined) meshes.push({ mesh, defaultMaterial: mesh.material, mappings });
  });
  return meshes;
}

import { type Material, Mesh, type Object3D } from 'three';
import type { GLTF, GLTFParser } from 'three/addons/loaders/GLTFLoader.js';

const NAME = 'KHR_materials_variants';

type Mapping = { material: number; variants: number[] };
type Primitive = { extensions?: { [NAME]?: { mappings?: Mapping[] } } };
type Dressed = { mesh: Mesh; own: Material | Material[]; mappings: Mapping[] };

/** The looks a design comes in (KHR_materials_variants), which three.js leaves to its users. */
export class Variants {
  /** The looks' names, as the file has them: never trust them as HTML. */
  readonly names: readonly string[];
  readonly #parser: GLTFParser;
  readonly #dressed: readonly Dressed[];
  #chosen: number | undefined;

  constructor({ parser }: GLTF, root: Object3D) {
    this.#parser = parser;
    const listed = (parser.json.extensions?.[NAME]?.variants ?? []) as { name?: unknown }[];
    this.names = listed.map(({ name }) => (typeof name === 'string' ? name : ''));
    this.#dressed = this.names.length > 0 ? findDressed(parser, root) : [];
  }

  /** Puts a look on; undefined is the file's own. Textures it needs are read now. */
  async choose(variant: number | undefined): Promise<void> {
    this.#chosen = variant;
    const changes = await Promise.all(
      this.#dressed.map(async (dressed) => ({
        dressed,
        material: await this.#find(dressed, variant),
      })),
    );
    // Somebody who chooses quickly wants the last choice.
    if (this.#chosen !== variant) return;
    for (const { dressed, material } of changes) {
      dressed.mesh.material = material;
      if (material !== dressed.own) this.#parser.assignFinalMaterial(dressed.mesh);
    }
  }

  async #find(
    { own, mappings }: Dressed,
    variant: number | undefined,
  ): Promise<Material | Material[]> {
    const mapping = mappings.find(({ variants }) => variants.includes(variant ?? -1));
    if (mapping === undefined) return own;
    return (await this.#parser.getDependency('material', mapping.material)) as Material;
  }
}

function findDressed(parser: GLTFParser, root: Object3D): Dressed[] {
  const dressed: Dressed[] = [];
  root.traverse((mesh) => {
    if (!(mesh instanceof Mesh)) return;
    const place = parser.associations.get(mesh) as
      | { meshes?: number; primitives?: number }
      | undefined;
    const primitives = parser.json.meshes?.[place?.meshes ?? -1]?.primitives as
      | Primitive[]
      | undefined;
    const mappings = primitives?.[place?.primitives ?? 0]?.extensions?.[NAME]?.mappings;
    if (mappings !== undefined) dressed.push({ mesh, own: mesh.material, mappings });
  });
  return dressed;
}

import { LoadingManager, type Object3D, type SkinnedMesh, type WebGLRenderer } from 'three';
import { type GLTF, GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import type { Motion } from './animation.ts';
import type { standBackdrop } from './backdrop.ts';
import { checkReadable, readGltfJson } from './glb.ts';
import { mending } from './mend.ts';
import { Trouble } from './trouble.ts';
import type { Variants } from './variants.ts';

/** Every extension a file may require of us. */
const SUPPORTED: ReadonlySet<string> = new Set([
  'EXT_materials_bump',
  'EXT_mesh_gpu_instancing',
  'EXT_meshopt_compression',
  'EXT_texture_avif',
  'EXT_texture_webp',
  'KHR_draco_mesh_compression',
  'KHR_lights_punctual',
  'KHR_materials_anisotropy',
  'KHR_materials_clearcoat',
  'KHR_materials_diffuse_roughness',
  'KHR_materials_dispersion',
  'KHR_materials_emissive_strength',
  'KHR_materials_ior',
  'KHR_materials_iridescence',
  'KHR_materials_sheen',
  'KHR_materials_specular',
  'KHR_materials_transmission',
  'KHR_materials_unlit',
  'KHR_materials_variants',
  'KHR_materials_volume',
  'KHR_mesh_quantization',
  'KHR_meshopt_compression',
  'KHR_texture_basisu',
  'KHR_texture_transform',
  'KHR_xmp_json_ld',
]);

const GLASS = 'KHR_materials_transmission';
const VARIANTS = 'KHR_materials_variants';
const DECODED = /draco|meshopt|basisu/;

/** A design in memory. */
export type Model = {
  root: Object3D;
  /** There when the file has animations. */
  motion: Motion | undefined;
  /** There when the design comes in several looks. */
  variants: Variants | undefined;
  /** There when the design is seen through. */
  standBackdrop: typeof standBackdrop | undefined;
};

/**
 * Reads a GLB, or a self-contained glTF. A design that moves stands in its first pose.
 *
 * @throws {Trouble} damaged, unsupported, incomplete, empty or offline
 */
export async function readModel(file: ArrayBuffer, renderer: WebGLRenderer): Promise<Model> {
  const json = readGltfJson(file);
  checkReadable(json, SUPPORTED);
  const used = new Set([...(json.extensionsUsed ?? []), ...(json.extensionsRequired ?? [])]);
  const animation = json.animations?.length ? importing(import('./animation.ts')) : undefined;
  const looks = used.has(VARIANTS) ? importing(import('./variants.ts')) : undefined;
  const backdrop = used.has(GLASS) ? importing(import('./backdrop.ts')) : undefined;
  try {
    const gltf = await parse(file, used, renderer);
    // A file may hold scenes and name none; the first is as good as any.
    const root: Object3D | undefined = gltf.scene ?? gltf.scenes[0];
    if (root === undefined) throw new Trouble('empty');
    root.traverse(drawAlways);
    const { Motion } = (await animation) ?? {};
    const { Variants } = (await looks) ?? {};
    return {
      root,
      motion: Motion && new Motion(root, gltf.animations),
      variants: Variants && new Variants(gltf, root),
      standBackdrop: (await backdrop)?.standBackdrop,
    };
  } catch (cause) {
    if (cause instanceof Trouble) throw cause;
    throw new Trouble('damaged', { cause });
  }
}

async function parse(
  file: ArrayBuffer,
  used: ReadonlySet<string>,
  renderer: WebGLRenderer,
): Promise<GLTF> {
  const blobs = new BlobAddresses();
  const loader = new GLTFLoader(blobs.manager).register(mending);
  const decoders = await openDecoders(loader, used, renderer);
  try {
    return await loader.parseAsync(file, '');
  } finally {
    // Other variants' textures are read when they are chosen, and need all this again.
    if (!used.has(VARIANTS)) {
      decoders?.[Symbol.dispose]();
      blobs[Symbol.dispose]();
    }
  }
}

/** What a skin or a morph target moves may be in sight when the sphere around its rest is not. */
function drawAlways(object: Object3D): void {
  const { isSkinnedMesh, morphTargetInfluences } = object as Partial<SkinnedMesh>;
  if (isSkinnedMesh || morphTargetInfluences) object.frustumCulled = false;
}

/** A script that does not come is a matter of the line, not of the file. */
function importing<T>(script: Promise<T>): Promise<T> {
  const caught = script.catch((cause: unknown) => {
    throw new Trouble('offline', { cause });
  });
  caught.catch(() => undefined);
  return caught;
}

async function openDecoders(
  loader: GLTFLoader,
  used: ReadonlySet<string>,
  renderer: WebGLRenderer,
): Promise<Disposable | undefined> {
  if (![...used].some((name) => DECODED.test(name))) return undefined;
  const { equip } = await importing(import('./decoders.ts'));
  return equip(loader, used, renderer);
}

/**
 * Gives the loader `blob:` addresses for `data:` ones, which the document's policy does not let it
 * fetch, and takes them back when the file is read.
 */
class BlobAddresses implements Disposable {
  readonly manager = new LoadingManager();
  readonly #made: string[] = [];

  constructor() {
    this.manager.setURLModifier((url) => (url.startsWith('data:') ? this.#make(url) : url));
  }

  #make(url: string): string {
    const [, type = '', base64, data = ''] =
      /^data:([^,;]*)[^,]*?(;base64)?,(.*)$/s.exec(url) ?? [];
    const text = base64 ? atob(data) : decodeURIComponent(data);
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const made = URL.createObjectURL(new Blob([bytes], { type }));
    this.#made.push(made);
    return made;
  }

  [Symbol.dispose](): void {
    for (const made of this.#made) URL.revokeObjectURL(made);
  }
}

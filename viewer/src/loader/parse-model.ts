import { LoadingManager, type Object3D, type SkinnedMesh, type WebGLRenderer } from 'three';
import { type GLTF, GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import type { mountSceneBackground } from '../renderer/scene-background.ts';
import type { AnimationPlayer } from '../scene/animation-player.ts';
import type { MaterialVariants } from '../scene/material-variants.ts';
import { ViewerError } from '../viewer-error.ts';
import { createFixupPlugin } from './gltf-fixups.ts';
import { assertSupported, parseGltfJson } from './gltf-json.ts';

/** Every extension a file may require of us. */
const SUPPORTED_EXTENSIONS: ReadonlySet<string> = new Set([
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

const TRANSMISSION_EXTENSION = 'KHR_materials_transmission';
const VARIANTS_EXTENSION = 'KHR_materials_variants';
const DECODER_EXTENSION_PATTERN = /draco|meshopt|basisu/;

/** A design in memory. */
export type ParsedModel = {
  root: Object3D;
  /** There when the file has animations. */
  animations: AnimationPlayer | undefined;
  /** There when the design comes in several looks. */
  variants: MaterialVariants | undefined;
  /** There when the design is seen through. */
  mountSceneBackground: typeof mountSceneBackground | undefined;
};

/**
 * Reads a GLB, or a self-contained glTF. A design that moves stands in its first pose.
 *
 * @throws {ViewerError} damaged, unsupported, incomplete, empty or offline
 */
export async function parseModel(file: ArrayBuffer, renderer: WebGLRenderer): Promise<ParsedModel> {
  const json = parseGltfJson(file);
  assertSupported(json, SUPPORTED_EXTENSIONS);
  const used = new Set([...(json.extensionsUsed ?? []), ...(json.extensionsRequired ?? [])]);
  const animation = json.animations?.length
    ? importScript(import('../scene/animation-player.ts'))
    : undefined;
  const looks = used.has(VARIANTS_EXTENSION)
    ? importScript(import('../scene/material-variants.ts'))
    : undefined;
  const backdrop = used.has(TRANSMISSION_EXTENSION)
    ? importScript(import('../renderer/scene-background.ts'))
    : undefined;
  try {
    const gltf = await runGltfLoader(file, used, renderer);
    // A file may hold scenes and name none; the first is as good as any.
    const root: Object3D | undefined = gltf.scene ?? gltf.scenes[0];
    if (root === undefined) throw new ViewerError('empty-scene');
    root.traverse(disableFrustumCulling);
    const { AnimationPlayer } = (await animation) ?? {};
    const { MaterialVariants } = (await looks) ?? {};
    return {
      root,
      animations: AnimationPlayer && new AnimationPlayer(root, gltf.animations),
      variants: MaterialVariants && new MaterialVariants(gltf, root),
      mountSceneBackground: (await backdrop)?.mountSceneBackground,
    };
  } catch (cause) {
    if (cause instanceof ViewerError) throw cause;
    throw new ViewerError('invalid-file', { cause });
  }
}

async function runGltfLoader(
  file: ArrayBuffer,
  used: ReadonlySet<string>,
  renderer: WebGLRenderer,
): Promise<GLTF> {
  const blobs = new DataUrlResolver();
  const loader = new GLTFLoader(blobs.manager).register(createFixupPlugin);
  const decoders = await loadDecoders(loader, used, renderer);
  try {
    return await loader.parseAsync(file, '');
  } finally {
    // Other variants' textures are read when they are chosen, and need all this again.
    if (!used.has(VARIANTS_EXTENSION)) {
      decoders?.[Symbol.dispose]();
      blobs[Symbol.dispose]();
    }
  }
}

/** What a skin or a morph target moves may be in sight when the sphere around its rest is not. */
function disableFrustumCulling(object: Object3D): void {
  const { isSkinnedMesh, morphTargetInfluences } = object as Partial<SkinnedMesh>;
  if (isSkinnedMesh || morphTargetInfluences) object.frustumCulled = false;
}

/** A script that does not come is a matter of the line, not of the file. */
function importScript<T>(script: Promise<T>): Promise<T> {
  const caught = script.catch((cause: unknown) => {
    throw new ViewerError('offline', { cause });
  });
  caught.catch(() => undefined);
  return caught;
}

async function loadDecoders(
  loader: GLTFLoader,
  used: ReadonlySet<string>,
  renderer: WebGLRenderer,
): Promise<Disposable | undefined> {
  if (![...used].some((name) => DECODER_EXTENSION_PATTERN.test(name))) return undefined;
  const { registerDecoders } = await importScript(import('./decoders.ts'));
  return registerDecoders(loader, used, renderer);
}

/**
 * Gives the loader `blob:` addresses for `data:` ones, which the document's policy does not let it
 * fetch, and takes them back when the file is read.
 */
class DataUrlResolver implements Disposable {
  readonly manager = new LoadingManager();
  readonly #objectUrls: string[] = [];

  constructor() {
    this.manager.setURLModifier((url) =>
      url.startsWith('data:') ? this.#createObjectUrl(url) : url,
    );
  }

  #createObjectUrl(url: string): string {
    const [, type = '', base64, data = ''] =
      /^data:([^,;]*)[^,]*?(;base64)?,(.*)$/s.exec(url) ?? [];
    const text = base64 ? atob(data) : decodeURIComponent(data);
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const made = URL.createObjectURL(new Blob([bytes], { type }));
    this.#objectUrls.push(made);
    return made;
  }

  [Symbol.dispose](): void {
    for (const made of this.#objectUrls) URL.revokeObjectURL(made);
  }
}

import { RENDERED_GLTF_EXTENSIONS } from '@cloche/contract/gltf-extensions';
import type { BufferGeometry, Mesh, Object3D, SkinnedMesh, WebGLRenderer } from 'three';
import {
  type GLTF,
  GLTFLoader,
  type GLTFLoaderPlugin,
  type GLTFParser,
} from 'three/addons/loaders/GLTFLoader.js';
import { createContactShadow } from '../renderer/contact-shadow.ts';
import type { mountSceneBackground } from '../renderer/scene-background.ts';
import { AnimationPlayer } from '../scene/animation-player.ts';
import { readFramingPoints } from '../scene/framing-points.ts';
import type { MaterialVariants } from '../scene/material-variants.ts';
import type { ModelBounds } from '../scene/model-bounds.ts';
import { removeEmptyTextures } from '../scene/model-materials.ts';
import { ViewerError } from '../viewer-error.ts';
import { decodeColorsInShader } from './decode-colors-in-shader.ts';
import { decodeInWorker, registerDecoders } from './decoders.ts';
import { EmbeddedTextures } from './embedded-textures.ts';
import { type EncodedImages, findEncodedImages } from './encoded-images.ts';
import { assertSupported, parseGltfJson } from './gltf-json.ts';
import { createWorkaroundPlugin } from './gltf-workarounds.ts';
import type { TextureLevels } from './texture-levels.ts';

const TRANSMISSION_EXTENSION = 'KHR_materials_transmission';
const VARIANTS_EXTENSION = 'KHR_materials_variants';
const DECODER_EXTENSION_PATTERN = /meshopt|basisu/;

/** The contents of a model file. */
export type ParsedModel = {
  root: Object3D;
  /** The shadow on the ground, not yet in `root`: it must not be measured. Undefined if the file has none. */
  shadow: Mesh | undefined;
  /** Undefined if the file has none: then the model must be measured. */
  storedBounds: ModelBounds | undefined;
  /** Undefined if the file has no animations. */
  animations: AnimationPlayer | undefined;
  /** Undefined if the file has no material variants. */
  variants: MaterialVariants | undefined;
  /**
   * Resolves when the textures have their images; before, they are empty. Damaged ones are left out. Rejects with a ViewerError, as
   * `TextureLevels.decoded`.
   */
  images: Promise<unknown>;
  /** Undefined if the file has material variants: another variant may need another copy of an image on the GPU. */
  encodedImages: EncodedImages | undefined;
  /** Undefined if the file has no transmissive materials, which need a background in the scene. */
  mountSceneBackground: typeof mountSceneBackground | undefined;
};

/**
 * Parses a GLB. An animated model is in its first pose.
 *
 * @throws {ViewerError} invalid-file, unsupported-extension, missing-resource, empty-scene or script
 */
export async function parseModel(
  file: ArrayBuffer,
  renderer: WebGLRenderer,
  textureLevels?: TextureLevels,
): Promise<ParsedModel> {
  const json = parseGltfJson(file);
  assertSupported(json, RENDERED_GLTF_EXTENSIONS);
  const used = new Set([...(json.extensionsUsed ?? []), ...(json.extensionsRequired ?? [])]);
  const shadow = createContactShadow(json.asset?.extras);
  const variants = used.has(VARIANTS_EXTENSION)
    ? importScript(import('../scene/material-variants.ts'))
    : undefined;
  const background = used.has(TRANSMISSION_EXTENSION)
    ? importScript(import('../renderer/scene-background.ts'))
    : undefined;
  try {
    const loader = new GLTFLoader().register(createWorkaroundPlugin);
    if (textureLevels) loader.register((parser) => textureLevels.createPlugin(parser));
    const embeddedTextures = new EmbeddedTextures();
    loader.register((parser) => embeddedTextures.createPlugin(parser));
    const gltf = await runGltfLoader(loader, { file, usedExtensions: used, renderer });
    // three.js sets no `scene` if the file does not name its default scene.
    const root: Object3D | undefined = gltf.scene ?? gltf.scenes[0];
    if (root === undefined) throw new ViewerError('empty-scene');
    root.traverse(disableFrustumCulling);
    decodeColorsInShader(root, used, renderer);
    const { MaterialVariants } = (await variants) ?? {};
    const waitForImages = async () => {
      await Promise.all([embeddedTextures.finish(), shadow?.decoded]);
      await textureLevels?.decoded;
      removeEmptyTextures(root);
    };
    const images = waitForImages();
    // Awaited later; until then, a failure must not count as unhandled.
    images.catch(() => undefined);
    return {
      root,
      shadow: shadow?.plane,
      storedBounds: readFramingPoints(json.asset?.extras),
      images,
      animations:
        gltf.animations.length > 0 ? new AnimationPlayer(root, gltf.animations) : undefined,
      variants: MaterialVariants && new MaterialVariants(gltf, root, images),
      encodedImages: MaterialVariants ? undefined : findEncodedImages(file, root, gltf.parser),
      mountSceneBackground: (await background)?.mountSceneBackground,
    };
  } catch (cause) {
    if (cause instanceof ViewerError) throw cause;
    throw new ViewerError('invalid-file', { cause });
  }
}

/**
 * Reads the geometries of the objects of a GLB, in the order of the file, without materials and images, while another
 * model is shown.
 *
 * @throws {ViewerError} as `parseModel`
 */
export async function parseGeometries(
  file: ArrayBuffer,
  renderer: WebGLRenderer,
): Promise<BufferGeometry[]> {
  const { extensionsUsed = [] } = parseGltfJson(file);
  const loader = new GLTFLoader().register(createWorkaroundPlugin).register(removeMaterials);
  const usedExtensions = new Set(extensionsUsed);
  const gltf = await decodeInWorker(() =>
    runGltfLoader(loader, { file, usedExtensions, renderer }),
  );
  return listGeometries(gltf.scene ?? gltf.scenes[0]);
}

function removeMaterials({ json }: GLTFParser): GLTFLoaderPlugin {
  delete json.animations;
  for (const { primitives } of json.meshes) for (const each of primitives) delete each.material;
  return { name: 'CLOCHE_geometries' };
}

/** Lists the geometry of each object that draws something. */
export function listGeometries(root: Object3D): BufferGeometry[] {
  const geometries: BufferGeometry[] = [];
  root.traverse(({ geometry }: Object3D & { geometry?: BufferGeometry }) => {
    if (geometry) geometries.push(geometry);
  });
  return geometries;
}

type RunOptions = {
  file: ArrayBuffer;
  usedExtensions: ReadonlySet<string>;
  renderer: WebGLRenderer;
};

async function runGltfLoader(
  loader: GLTFLoader,
  { file, usedExtensions, renderer }: RunOptions,
): Promise<GLTF> {
  const decoders = await loadDecoders(loader, usedExtensions, renderer);
  try {
    return await loader.parseAsync(file, '');
  } finally {
    // The textures of variants are read when a variant is selected, so their decoders are kept.
    if (!usedExtensions.has(VARIANTS_EXTENSION)) decoders?.[Symbol.dispose]();
  }
}

async function loadDecoders(
  loader: GLTFLoader,
  usedExtensions: ReadonlySet<string>,
  renderer: WebGLRenderer,
): Promise<Disposable | undefined> {
  if (![...usedExtensions].some((name) => DECODER_EXTENSION_PATTERN.test(name))) return undefined;
  return importScript(registerDecoders(loader, usedExtensions, renderer));
}

/** Skins and morph targets may move vertices into the frame while the bounding sphere is outside. */
function disableFrustumCulling(object: Object3D): void {
  const { isSkinnedMesh, morphTargetInfluences } = object as Partial<SkinnedMesh>;
  if (isSkinnedMesh || morphTargetInfluences) object.frustumCulled = false;
}

/**
 * Reports a script, or another file of the viewer, that cannot be loaded as such, not as an error of the
 * design.
 */
export function importScript<T>(script: Promise<T>): Promise<T> {
  const result = script.catch((cause: unknown) => {
    throw new ViewerError('script', { cause });
  });
  // The result is awaited later; until then, a failure must not count as unhandled.
  result.catch(() => undefined);
  return result;
}

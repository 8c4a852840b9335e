import { RENDERED_GLTF_EXTENSIONS } from '@cloche/contract/gltf-extensions';
import type { Object3D, SkinnedMesh, WebGLRenderer } from 'three';
import { type GLTF, GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import type { mountSceneBackground } from '../renderer/scene-background.ts';
import type { AnimationPlayer } from '../scene/animation-player.ts';
import type { MaterialVariants } from '../scene/material-variants.ts';
import { ViewerError } from '../viewer-error.ts';
import { createFixupPlugin } from './gltf-fixups.ts';
import { assertSupported, parseGltfJson } from './gltf-json.ts';

const TRANSMISSION_EXTENSION = 'KHR_materials_transmission';
const VARIANTS_EXTENSION = 'KHR_materials_variants';
const DECODER_EXTENSION_PATTERN = /meshopt|basisu/;

/** A model in memory. */
export type ParsedModel = {
  root: Object3D;
  /** Defined when the file has animations. */
  animations: AnimationPlayer | undefined;
  /** Defined when the file has material variants. */
  variants: MaterialVariants | undefined;
  /** Defined when the file has transmissive materials, which need a background in the scene. */
  mountSceneBackground: typeof mountSceneBackground | undefined;
};

/**
 * Parses a GLB. An animated model is in its first pose.
 *
 * @throws {ViewerError} invalid-file, unsupported-extension, missing-resource, empty-scene or offline
 */
export async function parseModel(file: ArrayBuffer, renderer: WebGLRenderer): Promise<ParsedModel> {
  const json = parseGltfJson(file);
  assertSupported(json, RENDERED_GLTF_EXTENSIONS);
  const used = new Set([...(json.extensionsUsed ?? []), ...(json.extensionsRequired ?? [])]);
  const animation = json.animations?.length
    ? importScript(import('../scene/animation-player.ts'))
    : undefined;
  const variants = used.has(VARIANTS_EXTENSION)
    ? importScript(import('../scene/material-variants.ts'))
    : undefined;
  const background = used.has(TRANSMISSION_EXTENSION)
    ? importScript(import('../renderer/scene-background.ts'))
    : undefined;
  try {
    const gltf = await runGltfLoader(file, used, renderer);
    // A file may have scenes without naming a default one; three.js then sets none.
    const root: Object3D | undefined = gltf.scene ?? gltf.scenes[0];
    if (root === undefined) throw new ViewerError('empty-scene');
    root.traverse(disableFrustumCulling);
    const { AnimationPlayer } = (await animation) ?? {};
    const { MaterialVariants } = (await variants) ?? {};
    return {
      root,
      animations: AnimationPlayer && new AnimationPlayer(root, gltf.animations),
      variants: MaterialVariants && new MaterialVariants(gltf, root),
      mountSceneBackground: (await background)?.mountSceneBackground,
    };
  } catch (cause) {
    if (cause instanceof ViewerError) throw cause;
    throw new ViewerError('invalid-file', { cause });
  }
}

async function runGltfLoader(
  file: ArrayBuffer,
  usedExtensions: ReadonlySet<string>,
  renderer: WebGLRenderer,
): Promise<GLTF> {
  const loader = new GLTFLoader().register(createFixupPlugin);
  const decoders = await loadDecoders(loader, usedExtensions, renderer);
  try {
    return await loader.parseAsync(file, '');
  } finally {
    // The textures of other variants are read when they are selected: the decoders are kept for them.
    if (!usedExtensions.has(VARIANTS_EXTENSION)) decoders?.[Symbol.dispose]();
  }
}

async function loadDecoders(
  loader: GLTFLoader,
  usedExtensions: ReadonlySet<string>,
  renderer: WebGLRenderer,
): Promise<Disposable | undefined> {
  if (![...usedExtensions].some((name) => DECODER_EXTENSION_PATTERN.test(name))) return undefined;
  const { registerDecoders } = await importScript(import('./decoders.ts'));
  return registerDecoders(loader, usedExtensions, renderer);
}

/** Skins and morph targets may move vertices into sight while the bounding sphere is out of sight. */
function disableFrustumCulling(object: Object3D): void {
  const { isSkinnedMesh, morphTargetInfluences } = object as Partial<SkinnedMesh>;
  if (isSkinnedMesh || morphTargetInfluences) object.frustumCulled = false;
}

/** A script that cannot be loaded is a problem of the connection, not of the file. */
function importScript<T>(script: Promise<T>): Promise<T> {
  const result = script.catch((cause: unknown) => {
    throw new ViewerError('offline', { cause });
  });
  // It is awaited later; until then a failure must not count as unhandled.
  result.catch(() => undefined);
  return result;
}

/**
 * The decoders that a file may need. That of meshopt is in this script, because the service compresses all models with it. The
 * others are loaded only for files that need them.
 */
import basisScript from 'asset:three/examples/jsm/libs/basis/basis_transcoder.js';
import basisWasm from 'asset:three/examples/jsm/libs/basis/basis_transcoder.wasm';
import { LoadingManager, type WebGLRenderer } from 'three';
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js';
import type { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

/**
 * Registers the decoders for the extensions that a file uses. The service compresses models with meshopt,
 * and keeps KTX2 textures of uploaded files. Dispose of the result after all textures have been read.
 * Rejects only if a decoder cannot be loaded.
 */
export async function registerDecoders(
  loader: GLTFLoader,
  usedExtensions: ReadonlySet<string>,
  renderer: WebGLRenderer,
): Promise<Disposable> {
  const usesMeshopt =
    usedExtensions.has('KHR_meshopt_compression') || usedExtensions.has('EXT_meshopt_compression');
  const [basisLoader] = await Promise.all([
    usedExtensions.has('KHR_texture_basisu') ? registerBasis(loader, renderer) : undefined,
    usesMeshopt ? registerMeshopt(loader) : undefined,
  ]);
  return { [Symbol.dispose]: () => basisLoader?.dispose() };
}

async function registerBasis(
  loader: GLTFLoader,
  renderer: WebGLRenderer,
): Promise<{ dispose(): void }> {
  const { KTX2Loader } = await import('three/addons/loaders/KTX2Loader.js');
  const manager = new LoadingManager();
  // KTX2Loader requests its files by fixed names, but our file names contain a hash.
  manager.setURLModifier((url) => {
    if (url.endsWith('basis_transcoder.js')) return basisScript;
    return url.endsWith('basis_transcoder.wasm') ? basisWasm : url;
  });
  const basisLoader = new KTX2Loader(manager).detectSupport(renderer);
  // Loads its files now. If that failed later, GLTFLoader would leave out the textures without an error.
  await basisLoader.init();
  loader.setKTX2Loader(basisLoader);
  return basisLoader;
}

async function registerMeshopt(loader: GLTFLoader): Promise<void> {
  loader.setMeshoptDecoder(await loadMeshopt());
}

/** Waits until the decoder is compiled. */
export async function loadMeshopt() {
  await MeshoptDecoder.ready;
  return MeshoptDecoder;
}

/** Decodes meshopt in a worker meanwhile: in this thread, a million triangles block several frames. */
export async function decodeInWorker<T>(read: () => Promise<T>): Promise<T> {
  const decoder = await loadMeshopt();
  decoder.useWorkers(1);
  try {
    return await read();
  } finally {
    decoder.useWorkers(0);
  }
}

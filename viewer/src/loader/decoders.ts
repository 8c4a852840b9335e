/**
 * The decoders that a file may need. That of meshopt is in the first script, because the service compresses all models with it. The
 * one of KTX2 textures is loaded only for files that need it.
 */
import type { WebGLRenderer } from 'three';
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
  const { createBasisLoader } = await import('./basis-loader.ts');
  const basisLoader = await createBasisLoader(renderer);
  loader.setKTX2Loader(basisLoader);
  return basisLoader;
}

async function registerMeshopt(loader: GLTFLoader): Promise<void> {
  loader.setMeshoptDecoder(await loadMeshopt());
}

// It is compiled when this script starts. An error is reported when a model needs it.
MeshoptDecoder.ready.catch(() => undefined);

/** Waits until the decoder is compiled. */
async function loadMeshopt() {
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

import basisScript from 'asset:three/examples/jsm/libs/basis/basis_transcoder.js';
import basisWasm from 'asset:three/examples/jsm/libs/basis/basis_transcoder.wasm';
import { LoadingManager, type WebGLRenderer } from 'three';
import { KTX2Loader } from 'three/addons/loaders/KTX2Loader.js';

/** Loads the decoder of KTX2 textures, for the formats that the device supports. Rejects if it cannot be loaded. */
export async function createBasisLoader(renderer: WebGLRenderer): Promise<KTX2Loader> {
  const manager = new LoadingManager();
  // KTX2Loader requests its files by fixed names, but our file names contain a hash.
  manager.setURLModifier((url) => {
    if (url.endsWith('basis_transcoder.js')) return basisScript;
    return url.endsWith('basis_transcoder.wasm') ? basisWasm : url;
  });
  const basisLoader = new KTX2Loader(manager).detectSupport(renderer);
  // Loads its files now. If that failed later, GLTFLoader would leave out the textures without an error.
  await basisLoader.init();
  return basisLoader;
}

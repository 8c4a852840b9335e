/**
 * The decoders a file may need, each its own script, asked for only by files that name it.
 * They run in workers and on WebAssembly served by us.
 */
import basisScript from 'asset:three/examples/jsm/libs/basis/basis_transcoder.js';
import basisWasm from 'asset:three/examples/jsm/libs/basis/basis_transcoder.wasm';
import dracoWasm from 'asset:three/examples/jsm/libs/draco/gltf/draco_decoder.wasm';
import dracoScript from 'asset:three/examples/jsm/libs/draco/gltf/draco_wasm_wrapper.js';
import { LoadingManager, type WebGLRenderer } from 'three';
import type { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

/** Equips the loader for the extensions a file uses. Dispose of the result when the file is read. */
export async function registerDecoders(
  loader: GLTFLoader,
  used: ReadonlySet<string>,
  renderer: WebGLRenderer,
): Promise<Disposable> {
  const opened = await Promise.all([
    used.has('KHR_draco_mesh_compression') && registerDraco(loader),
    used.has('KHR_texture_basisu') && registerBasis(loader, renderer),
    (used.has('EXT_meshopt_compression') || used.has('KHR_meshopt_compression')) &&
      registerMeshopt(loader),
  ]);
  return {
    [Symbol.dispose]() {
      for (const decoder of opened) if (decoder) decoder.dispose();
    },
  };
}

type Decoder = { dispose(): unknown };

async function registerDraco(loader: GLTFLoader): Promise<Decoder> {
  const { DRACOLoader } = await import('three/addons/loaders/DRACOLoader.js');
  const draco = new DRACOLoader().setDecoderPath({ js: dracoScript, wasm: dracoWasm } as never);
  loader.setDRACOLoader(draco);
  return draco;
}

async function registerBasis(loader: GLTFLoader, renderer: WebGLRenderer): Promise<Decoder> {
  const { KTX2Loader } = await import('three/addons/loaders/KTX2Loader.js');
  const manager = new LoadingManager();
  // The loader knows its files by fixed names; ours carry their hash.
  manager.setURLModifier((url) => {
    if (url.endsWith('basis_transcoder.js')) return basisScript;
    return url.endsWith('basis_transcoder.wasm') ? basisWasm : url;
  });
  const basis = new KTX2Loader(manager).detectSupport(renderer);
  loader.setKTX2Loader(basis);
  return basis;
}

async function registerMeshopt(loader: GLTFLoader): Promise<undefined> {
  const { MeshoptDecoder } = await import('three/addons/libs/meshopt_decoder.module.js');
  await MeshoptDecoder.ready;
  loader.setMeshoptDecoder(MeshoptDecoder);
}

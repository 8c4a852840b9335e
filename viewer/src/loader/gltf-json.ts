import { ViewerError } from '../viewer-error.ts';

/** As much of a glTF's JSON as we look at ourselves. */
export type GltfJson = {
  asset?: { version?: string };
  extensionsUsed?: string[];
  extensionsRequired?: string[];
  buffers?: { uri?: string }[];
  images?: { uri?: string }[];
  animations?: unknown[];
};

const GLB_MAGIC = 0x46546c67;
const JSON_CHUNK_TYPE = 0x4e4f534a;
const HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;

/**
 * Reads the JSON of a GLB, or of a glTF that is JSON alone.
 *
 * @throws {ViewerError} damaged
 */
export function parseGltfJson(file: ArrayBuffer): GltfJson {
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(getJsonChunk(file)));
    if (typeof json !== 'object' || json === null) throw new TypeError('The JSON is no object.');
    const gltf = json as GltfJson;
    if (!gltf.asset?.version?.startsWith('2')) throw new TypeError('This is not glTF 2.');
    return gltf;
  } catch (cause) {
    throw new ViewerError('invalid-file', { cause });
  }
}

function getJsonChunk(file: ArrayBuffer): Uint8Array {
  const view = new DataView(file);
  if (view.byteLength < 4 || view.getUint32(0, true) !== GLB_MAGIC) return new Uint8Array(file);

  const length = view.getUint32(HEADER_BYTES, true);
  if (view.getUint32(HEADER_BYTES + 4, true) !== JSON_CHUNK_TYPE) {
    throw new TypeError('The first chunk is not JSON.');
  }
  return new Uint8Array(file, HEADER_BYTES + CHUNK_HEADER_BYTES, length);
}

/**
 * Makes sure that the file can be shown with what it brings and what we read.
 *
 * @throws {ViewerError} unsupported or incomplete
 */
export function assertSupported(gltf: GltfJson, supported: ReadonlySet<string>): void {
  const foreign = gltf.extensionsRequired?.filter((name) => !supported.has(name)) ?? [];
  if (foreign.length > 0) {
    const detail = `Its file needs ${foreign.join(', ')}, which this viewer does not read.`;
    throw new ViewerError('unsupported-extension', { detail });
  }
  const parts = [...(gltf.buffers ?? []), ...(gltf.images ?? [])];
  const missing = parts.find(({ uri }) => uri !== undefined && !uri.startsWith('data:'));
  if (missing !== undefined) {
    const detail = `Its file refers to “${missing.uri}”, which is not part of it.`;
    throw new ViewerError('missing-resource', { detail });
  }
}

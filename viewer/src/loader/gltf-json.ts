import { toSingleLine } from '@cloche/contract/untrusted-text';
import { ViewerError } from '../viewer-error.ts';

/** The parts of the JSON of a glTF that this file and parse-model.ts read. */
export type GltfJson = {
  asset?: { version?: string; extras?: unknown };
  extensionsUsed?: string[];
  extensionsRequired?: string[];
  buffers?: { uri?: string }[];
  images?: { uri?: string }[];
  animations?: unknown[];
};

/** Of a text from the file in a message: a `data:` URI may have megabytes. */
const MAX_TEXT_LENGTH = 80;
const GLB_MAGIC = 0x46546c67;
const JSON_CHUNK_TYPE = 0x4e4f534a;
const HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;

/**
 * Reads the JSON chunk of a GLB.
 *
 * @throws {ViewerError} invalid-file
 */
export function parseGltfJson(file: ArrayBuffer): GltfJson {
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(getJsonChunk(file)));
    if (typeof json !== 'object' || json === null)
      throw new TypeError('The JSON is not an object.');
    const gltf = json as GltfJson;
    if (!gltf.asset?.version?.startsWith('2')) throw new TypeError('This is not glTF 2.');
    return gltf;
  } catch (cause) {
    throw new ViewerError('invalid-file', { cause });
  }
}

function getJsonChunk(file: ArrayBuffer): Uint8Array {
  const view = new DataView(file);
  if (view.getUint32(0, true) !== GLB_MAGIC) throw new TypeError('This is not a GLB.');
  const length = view.getUint32(HEADER_BYTES, true);
  if (view.getUint32(HEADER_BYTES + 4, true) !== JSON_CHUNK_TYPE) {
    throw new TypeError('The first chunk is not JSON.');
  }
  return new Uint8Array(file, HEADER_BYTES + CHUNK_HEADER_BYTES, length);
}

/**
 * Checks that a file requires no unsupported extension and no other file. The service writes all
 * resources into the GLB, so a file with a URI (`data:` included) is not from the service.
 *
 * @throws {ViewerError} unsupported-extension or missing-resource
 */
export function assertSupported(gltf: GltfJson, supported: ReadonlySet<string>): void {
  const unsupported = gltf.extensionsRequired?.filter((name) => !supported.has(name)) ?? [];
  if (unsupported.length > 0) {
    const parameters = { extensions: toSingleLine(unsupported.join(', '), MAX_TEXT_LENGTH) };
    throw new ViewerError('unsupported-extension', { parameters });
  }
  const resources = [...(gltf.buffers ?? []), ...(gltf.images ?? [])];
  const uri = resources.find(({ uri }) => uri !== undefined)?.uri;
  if (uri !== undefined)
    throw new ViewerError('missing-resource', {
      parameters: { uri: toSingleLine(uri, MAX_TEXT_LENGTH) },
    });
}

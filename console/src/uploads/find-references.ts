import type { ChosenFile } from './planned-upload.ts';

const MAX_GLTF_BYTES = 64 * 1024 * 1024;
/** An OBJ names its materials at its beginning. */
const OBJ_HEAD_BYTES = 1024 * 1024;
const MAX_MTL_BYTES = 16 * 1024 * 1024;

/** Finds files by their paths, or in any folder by their names, in upper or lower case. */
export class FileIndex {
  readonly #byPath = new Map<string, ChosenFile>();
  readonly #byName = new Map<string, ChosenFile>();

  constructor(files: readonly ChosenFile[]) {
    for (const file of files) {
      this.#byPath.set(file.path.toLowerCase(), file);
      this.#byName.set(getBaseName(file.path).toLowerCase(), file);
    }
  }

  /** Finds the file that `reference` names in the file `from`. */
  find(reference: string, from: string): ChosenFile | undefined {
    const path = resolvePath(from, reference).toLowerCase();
    return this.#byPath.get(path) ?? this.#byName.get(getBaseName(path));
  }
}

/** Finds the files that a glTF or OBJ refers to, among those that were chosen. */
export async function findReferences(model: ChosenFile, index: FileIndex): Promise<ChosenFile[]> {
  const found = new Map<string, ChosenFile>();
  const add = (reference: string, from: string) => {
    const file = index.find(reference, from);
    if (file !== undefined && file !== model) found.set(file.path, file);
    return file;
  };
  if (/\.gltf$/i.test(model.path)) {
    for (const uri of await readGltfUris(model.file)) add(uri, model.path);
    return [...found.values()];
  }
  for (const name of await readMatches(model.file, OBJ_HEAD_BYTES, /^\s*mtllib\s+(.+)$/gm)) {
    const library = add(name, model.path);
    if (library === undefined) continue;
    const textures = /^\s*(?:map_\w+|bump|disp|decal|refl|norm)\s+(.+)$/gim;
    for (const texture of await readMatches(library.file, MAX_MTL_BYTES, textures)) {
      // Options such as "-s 1 1 1" come before the name, which may have spaces.
      if (add(texture, library.path) === undefined)
        add(texture.split(/\s+/).at(-1) ?? '', library.path);
    }
  }
  return [...found.values()];
}

async function readGltfUris(file: File): Promise<string[]> {
  if (file.size > MAX_GLTF_BYTES) return [];
  try {
    const { buffers = [], images = [] } = JSON.parse(await file.text());
    return [...buffers, ...images].flatMap(({ uri }: { uri?: unknown }) =>
      typeof uri === 'string' && !/^[a-z][a-z0-9+.-]*:/i.test(uri) ? [decodeUri(uri)] : [],
    );
  } catch {
    // The service says what is wrong with the file.
    return [];
  }
}

async function readMatches(file: File, maxBytes: number, pattern: RegExp): Promise<string[]> {
  const text = await file.slice(0, maxBytes).text();
  return [...text.matchAll(pattern)].map(([, name = '']) => name.trim());
}

function decodeUri(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}

/** The path of a reference in the file `from`. Windows programs write backslashes. */
function resolvePath(from: string, reference: string): string {
  const parts = from.split('/').slice(0, -1);
  for (const part of reference.replaceAll('\\', '/').split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}

export function getBaseName(path: string): string {
  return path.split('/').at(-1) ?? path;
}

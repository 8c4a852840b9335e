import { FileIndex, findReferences, getBaseName } from './find-references.ts';
import type { ChosenFile, PlannedUpload, UploadPlan } from './planned-upload.ts';

/** Models that are one file. */
const SINGLE_FILE = /\.(glb|stl|ply|off|3mf|fbx|dae|step|stp|igs|iges|brep|ifc|zip)$/i;
/** Models that can refer to other files. */
const WITH_FILES = /\.(gltf|obj)$/i;
/** Files that operating systems add to folders. */
const SYSTEM_FILE = /(^|\/)(\.[^/]*|__MACOSX|Thumbs\.db|desktop\.ini)(\/|$)/i;

/**
 * Decides which of the chosen files become designs: each model, a glTF or OBJ together with the files it refers to. A single file
 * is sent whatever its name is: the service detects formats from the bytes.
 */
export async function planUploads(chosen: readonly ChosenFile[]): Promise<UploadPlan> {
  const files = chosen.filter(({ path }) => !SYSTEM_FILE.test(path));
  const [only] = files;
  if (only !== undefined && files.length === 1) return { uploads: [toUpload(only)], ignored: [] };
  const index = new FileIndex(files);
  const uploads: PlannedUpload[] = [];
  const used = new Set<ChosenFile>();
  for (const file of files) {
    if (!SINGLE_FILE.test(file.path) && !WITH_FILES.test(file.path)) continue;
    const references = WITH_FILES.test(file.path) ? await findReferences(file, index) : [];
    uploads.push(toUpload(file, references));
    for (const part of [file, ...references]) used.add(part);
  }
  return { uploads, ignored: files.filter((file) => !used.has(file)).map(({ path }) => path) };
}

function toUpload(model: ChosenFile, references: readonly ChosenFile[] = []): PlannedUpload {
  return { name: getBaseName(model.path), files: [model, ...references] };
}

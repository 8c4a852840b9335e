import type { ProcessingWarning } from '@cloche/contract/design';
import { Problem } from '@cloche/contract/problem';
import { Document, type Material } from '@gltf-transform/core';
import { addPrimitive } from '../../mesh/add-primitive.ts';
import { createDefaultMaterial, DEFAULT_COLOR } from '../../mesh/default-material.ts';
import type { ModelLocation } from '../../mesh/imported-model.ts';
import { createTextureLoader } from '../../mesh/texture-loader.ts';
import { quoteUntrusted } from '../../validation/quote-untrusted.ts';
import { resolveRelativePath } from '../../validation/zip/model-archive.ts';
import { createMtlMaterial, type MtlMaterial, parseMtl } from './mtl.ts';
import { type ObjPart, parseObj } from './parse-obj.ts';

/**
 * Reads OBJ with its materials.
 *
 * A reader of our own, not assimp's, which on the same file (tried with assimp 5.2 of assimpjs 0.0.10)
 * takes colours as linear, sets an index of refraction of 1 so that nothing reflects, drops bump maps
 * and shininess, does not say what is missing, and tells files in an archive apart by their
 * last name only. 980,000 triangles (30 MB): 19 s and 1028 MB without any normals; ours 19 s and 260 MB
 * with them, on a busy machine.
 */
export async function importObj(
  bytes: Buffer,
  place?: ModelLocation,
): Promise<{ document: Document; warnings: ProcessingWarning[] }> {
  const { parts, libraries, lines } = parseObj(bytes);
  if (parts.length === 0)
    throw new Problem('design.unreadable', { detail: 'The OBJ has no faces.' });
  const warnings: ProcessingWarning[] = [
    {
      code: 'units.assumed',
      message: 'OBJ files do not say their unit or which way is up: metres and Y up were assumed.',
    },
  ];
  if (lines > 0)
    warnings.push({
      code: 'lines.unread',
      message: 'The OBJ has points, lines, curves or free surfaces, which were not read.',
    });
  const document = new Document();
  const materials = await createMaterialLookup(document, warnings, { libraries, place });
  const scene = document.createScene();
  for (const [name, group] of Map.groupBy(parts, (part) => part.name)) {
    const mesh = document.createMesh(name);
    for (const part of group) {
      addPrimitive(document, mesh, { geometry: part.geometry, material: await materials(part) });
    }
    scene.addChild(document.createNode(name).setMesh(mesh));
  }
  // A picture may have been looked at and not taken.
  for (const texture of document.getRoot().listTextures()) {
    if (texture.listParents().every((parent) => parent === document.getRoot())) texture.dispose();
  }
  return { document, warnings };
}

type GetMaterial = (part: ObjPart) => Promise<Material>;

async function createMaterialLookup(
  document: Document,
  warnings: ProcessingWarning[],
  { libraries, place }: { libraries: readonly string[]; place: ModelLocation | undefined },
): Promise<GetMaterial> {
  const textures = createTextureLoader(document, warnings, place);
  const known = new Map<string, MtlMaterial>();
  for (const library of libraries) {
    const path = place?.archive.find(resolveRelativePath(place.modelPath, library));
    if (place && path !== undefined) {
      for (const mtl of parseMtl(await place.archive.read(path), path)) known.set(mtl.name, mtl);
    } else {
      const message = `The materials in ${quoteUntrusted(library)} did not come with the model.`;
      warnings.push({ code: 'material.missing', message });
    }
  }
  const made = new Map<string, Material>();
  return async ({ material: name, geometry }) => {
    const isPainted = geometry.colors !== undefined;
    const key = `${isPainted} ${name}`;
    const mtl = known.get(name);
    const material =
      made.get(key) ??
      (mtl
        ? await createMtlMaterial(mtl, { document, textures, warnings })
        : createDefaultMaterial(document, isPainted ? [1, 1, 1] : DEFAULT_COLOR, name));
    if (!mtl && name !== '' && libraries.length > 0 && known.size > 0 && !made.has(key)) {
      warnings.push({
        code: 'material.missing',
        message: `The material ${quoteUntrusted(name)} is in none of the MTL files.`,
      });
    }
    made.set(key, material);
    return material;
  };
}

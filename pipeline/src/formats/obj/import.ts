// A reader of our own instead of assimp 5.2 (assimpjs 0.0.10). 980,000 triangles (30 MB) on a busy
// machine, November 2026: assimp takes 19 s and 1028 MB and returns no normals, this reader 19 s and
// 260 MB including normals. Assimp also takes sRGB colors as linear, sets an index of refraction of 1
// (which removes all reflections), drops bump maps and shininess, does not report what is missing,
// and confuses files of the same name in different folders of an archive.
import type { ProcessingWarning } from '@cloche/contract/design';
import { Problem } from '@cloche/contract/problem';
import { Document, type Material } from '@gltf-transform/core';
import { addPrimitive } from '../../mesh/add-primitive.ts';
import { createDefaultMaterial, DEFAULT_COLOR } from '../../mesh/default-material.ts';
import type { ImportedModel, ModelLocation } from '../../mesh/imported-model.ts';
import { createTextureLoader } from '../../mesh/texture-loader.ts';
import { resolveRelativePath } from '../../validation/zip/model-archive.ts';
import { createMtlMaterial, type MtlMaterial, parseMtl } from './mtl.ts';
import { type ObjPart, parseObj } from './parse-obj.ts';
import { collectObjWarnings, missingLibraryWarning, missingMaterialWarning } from './warnings.ts';

/**
 * Imports an OBJ with its materials: one mesh per object, or per group if there are no objects.
 *
 * @throws {Problem} design.unreadable
 */
export async function importObj(bytes: Buffer, location?: ModelLocation): Promise<ImportedModel> {
  const obj = parseObj(bytes);
  if (obj.parts.length === 0) {
    throw new Problem('design.unreadable', { detail: 'The OBJ has no faces.' });
  }
  const warnings = collectObjWarnings(obj);
  const document = new Document();
  const mtlMaterials = await readMaterialLibraries(obj.materialLibraries, warnings, location);
  const getMaterial = createMaterialLookup(document, warnings, { mtlMaterials, location });
  const scene = document.createScene();
  for (const [name, parts] of Map.groupBy(obj.parts, (part) => part.name)) {
    const mesh = document.createMesh(name);
    for (const part of parts) {
      addPrimitive(document, mesh, { geometry: part.geometry, material: await getMaterial(part) });
    }
    scene.addChild(document.createNode(name).setMesh(mesh));
  }
  disposeUnusedTextures(document);
  return { document, warnings };
}

/** Reads the MTL files that are in the archive, and adds a warning for each of the others. */
async function readMaterialLibraries(
  libraries: readonly string[],
  warnings: ProcessingWarning[],
  location: ModelLocation | undefined,
): Promise<Map<string, MtlMaterial>> {
  const materials = new Map<string, MtlMaterial>();
  for (const library of libraries) {
    const path = location?.archive.find(resolveRelativePath(location.modelPath, library));
    if (!location || path === undefined) {
      warnings.push(missingLibraryWarning(library));
      continue;
    }
    for (const material of parseMtl(await location.archive.read(path), path)) {
      materials.set(material.name, material);
    }
  }
  return materials;
}

type MaterialLookupOptions = {
  mtlMaterials: ReadonlyMap<string, MtlMaterial>;
  location: ModelLocation | undefined;
};

/** Returns a function that creates the material of a part, or returns one created before. */
function createMaterialLookup(
  document: Document,
  warnings: ProcessingWarning[],
  { mtlMaterials, location }: MaterialLookupOptions,
): (part: ObjPart) => Promise<Material> {
  const textures = createTextureLoader(document, warnings, location);
  const materials = new Map<string, Material>();
  return async ({ material: name, geometry }) => {
    const hasColors = geometry.colors !== undefined;
    const key = `${hasColors} ${name}`;
    const existing = materials.get(key);
    if (existing) return existing;
    const mtl = mtlMaterials.get(name);
    // If there are no MTL materials at all, the warning about the missing MTL file is enough.
    if (!mtl && name !== '' && mtlMaterials.size > 0) warnings.push(missingMaterialWarning(name));
    const material = mtl
      ? await createMtlMaterial(mtl, { document, textures, warnings })
      : createDefaultMaterial(document, hasColors ? [1, 1, 1] : DEFAULT_COLOR, name);
    materials.set(key, material);
    return material;
  };
}

/** Removes textures that are not used: bump maps that turned out not to be normal maps. */
function disposeUnusedTextures(document: Document): void {
  const root = document.getRoot();
  for (const texture of root.listTextures()) {
    if (texture.listParents().every((parent) => parent === root)) texture.dispose();
  }
}

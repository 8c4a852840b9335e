import { Problem } from '@cloche/contract/problem';
import { Document, type Material } from '@gltf-transform/core';
import { quote } from '../preflight/quote.ts';
import type { Warning } from '../report.ts';
import { relativeTo } from './archive.ts';
import type { Place } from './imported.ts';
import { type Mtl, paint, readMtl } from './mtl.ts';
import { type ObjPart, readObjParts } from './obj-parts.ts';
import { addPrimitive, GREY, plainMaterial } from './scene.ts';
import { openTextures } from './textures.ts';

/**
 * Reads OBJ with its materials.
 *
 * A reader of our own, not assimp's, which on the same file (tried with assimp 5.2 of assimpjs 0.0.10)
 * takes colours as linear, sets an index of refraction of 1 so that nothing reflects, drops bump maps
 * and shininess, does not say what is missing, and tells files in an archive apart by their
 * last name only. 980,000 triangles (30 MB): 19 s and 1028 MB without any normals; ours 19 s and 260 MB
 * with them, on a busy machine.
 */
export async function readObj(
  bytes: Buffer,
  place?: Place,
): Promise<{ document: Document; warnings: Warning[] }> {
  const { parts, libraries, lines } = readObjParts(bytes);
  if (parts.length === 0)
    throw new Problem('design.unreadable', { detail: 'The OBJ has no faces.' });
  const warnings: Warning[] = [
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
  const materials = await openMaterials(document, warnings, { libraries, place });
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

type Shelf = (part: ObjPart) => Promise<Material>;

async function openMaterials(
  document: Document,
  warnings: Warning[],
  { libraries, place }: { libraries: readonly string[]; place: Place | undefined },
): Promise<Shelf> {
  const textures = openTextures(document, warnings, place);
  const known = new Map<string, Mtl>();
  for (const library of libraries) {
    const path = place?.archive.find(relativeTo(place.main, library));
    if (place && path !== undefined) {
      for (const mtl of readMtl(await place.archive.read(path), path)) known.set(mtl.name, mtl);
    } else {
      const message = `The materials in ${quote(library)} did not come with the model.`;
      warnings.push({ code: 'material.missing', message });
    }
  }
  const made = new Map<string, Material>();
  return async ({ material: name, geometry }) => {
    const isPainted = geometry.colours !== undefined;
    const key = `${isPainted} ${name}`;
    const mtl = known.get(name);
    const material =
      made.get(key) ??
      (mtl
        ? await paint(mtl, { document, textures, warnings })
        : plainMaterial(document, isPainted ? [1, 1, 1] : GREY, name));
    if (!mtl && name !== '' && libraries.length > 0 && known.size > 0 && !made.has(key)) {
      warnings.push({
        code: 'material.missing',
        message: `The material ${quote(name)} is in none of the MTL files.`,
      });
    }
    made.set(key, material);
    return material;
  };
}

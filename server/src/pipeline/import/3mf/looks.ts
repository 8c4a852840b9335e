import type { Document, Material, Mesh, vec3 } from '@gltf-transform/core';
import type { Geometry } from '../geometry.ts';
import { growingFloats, growingIndices, RowIndex } from '../grow.ts';
import { addPrimitive, GREY, linearColour, plainMaterial } from '../scene.ts';
import type { Textures } from '../textures.ts';
import { bad, type Look, type Model, NONE, type Solid, TRIANGLE } from './model.ts';

type Paint = { kind: Look['kind'] | 'plain'; name: string; colour: string; picture: string };

/** Makes the mesh of an object, with a primitive for each of its materials; none without triangles. */
export function openLooks(document: Document, textures: Textures) {
  const materials = new Map<string, Promise<Material>>();
  const paint = (look: Paint): Promise<Material> => {
    const key = [look.kind, look.name, look.colour, look.picture].join('\n');
    const made = materials.get(key) ?? makeMaterial(document, textures, look);
    materials.set(key, made);
    return made;
  };
  return async (object: Solid, model: Model, scale: number): Promise<Mesh | undefined> => {
    if (object.triangles.length === 0) return undefined;
    const mesh = document.createMesh(object.name);
    for (const { look, rows } of groupTriangles(object, model)) {
      const { geometry, isClear } = geometryOf(object, model, { rows, scale, kind: look.kind });
      const material = await paint(isClear ? { ...look, name: 'clear' } : look);
      if (isClear) material.setAlphaMode('BLEND').setName('');
      addPrimitive(document, mesh, { geometry, material });
    }
    return mesh;
  };
}

async function makeMaterial(
  document: Document,
  textures: Textures,
  { kind, name, colour, picture }: Paint,
): Promise<Material> {
  if (kind === 'picture') {
    return plainMaterial(document, [1, 1, 1]).setBaseColorTexture(
      (await textures.find(picture, '')) ?? null,
    );
  }
  if (kind !== 'material') return plainMaterial(document, kind === 'colour' ? [1, 1, 1] : GREY);
  const [red, green, blue, alpha] = readColour(colour);
  const material = plainMaterial(document, [red, green, blue] as vec3, name).setAlpha(alpha);
  return alpha < 1 ? material.setAlphaMode('BLEND') : material;
}

/** The triangles of each material, as numbers of rows. */
function groupTriangles({ triangles }: Solid, { looks, textures }: Model) {
  const groups = new Map<string, { look: Paint; rows: number[] }>();
  for (let row = 0; row < triangles.length; row += TRIANGLE) {
    const number = triangles.at(row + 3);
    const first = triangles.at(row + 4);
    const look = looks.get(number)?.[first];
    const key = `${number} ${look?.kind === 'material' ? first : ''}`;
    const group = groups.get(key) ?? { look: paintOf(look, textures), rows: [] };
    group.rows.push(row);
    groups.set(key, group);
  }
  return groups.values();
}

function paintOf(look: Look | undefined, textures: Model['textures']): Paint {
  const paint: Paint = { kind: look?.kind ?? 'plain', name: '', colour: '', picture: '' };
  if (look?.kind === 'material') return { ...paint, name: look.name, colour: look.colour };
  if (look?.kind === 'picture') return { ...paint, picture: textures.get(look.texture) ?? '' };
  return paint;
}

type Wish = { rows: readonly number[]; scale: number; kind: Paint['kind'] };

function geometryOf({ vertices, triangles }: Solid, { looks }: Model, { rows, scale, kind }: Wish) {
  const hasLooks = kind === 'colour' || kind === 'picture';
  const index = new RowIndex(3);
  const key = new Uint32Array(3);
  const [positions, coordinates, indices] = [growingFloats(), growingFloats(), growingIndices()];
  const colours: number[] = [];
  let isClear = false;
  for (const row of rows) {
    for (let corner = 0; corner < 3; corner++) {
      const vertex = triangles.at(row + corner);
      key.set([
        vertex,
        hasLooks ? triangles.at(row + 3) : NONE,
        hasLooks ? triangles.at(row + 4 + corner) : NONE,
      ]);
      const at = index.add(key);
      indices.push(at);
      if (3 * at < positions.length) continue;
      for (let axis = 0; axis < 3; axis++) positions.push(scale * vertices.at(3 * vertex + axis));
      if (!hasLooks) continue;
      const look = looks.get(key[1] as number)?.[key[2] as number];
      if (look?.kind !== kind) throw bad('a triangle names a colour that is not there');
      if (look.kind === 'colour') {
        const colour = readColour(look.colour);
        isClear ||= (colour[3] as number) < 1;
        colours.push(...colour.map((value) => Math.round(65535 * value)));
      } else if (look.kind === 'picture') {
        coordinates.push(look.u);
        // 3MF counts from the bottom of the picture, glTF from its top.
        coordinates.push(1 - look.v);
      }
    }
  }
  const geometry: Geometry = { positions: positions.done(), indices: indices.done() };
  if (kind === 'colour') geometry.colours = Uint16Array.from(colours);
  if (kind === 'picture') geometry.coordinates = coordinates.done();
  return { geometry, isClear };
}

/** `#RRGGBB` or `#RRGGBBAA` in sRGB, as linear light and alpha. */
function readColour(text: string): [number, number, number, number] {
  const found = /^#([0-9a-f]{6})([0-9a-f]{2})?$/i.exec(text);
  if (!found) return [...GREY, 1] as [number, number, number, number];
  const rgb = Number.parseInt(found[1] as string, 16);
  const linear = linearColour([(rgb >> 16) / 255, ((rgb >> 8) & 255) / 255, (rgb & 255) / 255]);
  return [...linear, found[2] === undefined ? 1 : Number.parseInt(found[2], 16) / 255];
}

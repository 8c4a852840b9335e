import type { Document, Material, Mesh, vec3 } from '@gltf-transform/core';
import { addPrimitive } from '../../mesh/add-primitive.ts';
import { toLinearColor } from '../../mesh/color.ts';
import { createDefaultMaterial, DEFAULT_COLOR } from '../../mesh/default-material.ts';
import {
  createGrowableFloats,
  createGrowableIndices,
  VertexDeduplicator,
} from '../../mesh/growable-array.ts';
import type { MeshGeometry } from '../../mesh/mesh-geometry.ts';
import type { TextureLoader } from '../../mesh/texture-loader.ts';
import {
  type ModelObject,
  type ModelPart,
  NO_PROPERTY,
  NUMBERS_PER_TRIANGLE,
  type TriangleProperty,
  threeMfError,
} from './model-part.ts';

type MaterialKey = {
  kind: TriangleProperty['kind'] | 'plain';
  name: string;
  color: string;
  texturePath: string;
};

/** Makes the mesh of an object, with a primitive for each of its materials; none without triangles. */
export function createMeshFactory(document: Document, textures: TextureLoader) {
  const materials = new Map<string, Promise<Material>>();
  const paint = (look: MaterialKey): Promise<Material> => {
    const key = [look.kind, look.name, look.color, look.texturePath].join('\n');
    const made = materials.get(key) ?? makeMaterial(document, textures, look);
    materials.set(key, made);
    return made;
  };
  return async (
    object: ModelObject,
    model: ModelPart,
    scale: number,
  ): Promise<Mesh | undefined> => {
    if (object.triangles.length === 0) return undefined;
    const mesh = document.createMesh(object.name);
    for (const { look, rows } of groupTriangles(object, model)) {
      const { geometry, isClear } = buildGeometry(object, model, { rows, scale, kind: look.kind });
      const material = await paint(isClear ? { ...look, name: 'clear' } : look);
      if (isClear) material.setAlphaMode('BLEND').setName('');
      addPrimitive(document, mesh, { geometry, material });
    }
    return mesh;
  };
}

async function makeMaterial(
  document: Document,
  textures: TextureLoader,
  { kind, name, color, texturePath }: MaterialKey,
): Promise<Material> {
  if (kind === 'picture') {
    return createDefaultMaterial(document, [1, 1, 1]).setBaseColorTexture(
      (await textures.load(texturePath, '')) ?? null,
    );
  }
  if (kind !== 'material')
    return createDefaultMaterial(document, kind === 'colour' ? [1, 1, 1] : DEFAULT_COLOR);
  const [red, green, blue, alpha] = parseColor(color);
  const material = createDefaultMaterial(document, [red, green, blue] as vec3, name).setAlpha(
    alpha,
  );
  return alpha < 1 ? material.setAlphaMode('BLEND') : material;
}

/** The triangles of each material, as numbers of rows. */
function groupTriangles({ triangles }: ModelObject, { propertyGroups, textures }: ModelPart) {
  const groups = new Map<string, { look: MaterialKey; rows: number[] }>();
  for (let row = 0; row < triangles.length; row += NUMBERS_PER_TRIANGLE) {
    const number = triangles.at(row + 3);
    const first = triangles.at(row + 4);
    const look = propertyGroups.get(number)?.[first];
    const key = `${number} ${look?.kind === 'material' ? first : ''}`;
    const group = groups.get(key) ?? { look: toMaterialKey(look, textures), rows: [] };
    group.rows.push(row);
    groups.set(key, group);
  }
  return groups.values();
}

function toMaterialKey(
  look: TriangleProperty | undefined,
  textures: ModelPart['textures'],
): MaterialKey {
  const paint: MaterialKey = { kind: look?.kind ?? 'plain', name: '', color: '', texturePath: '' };
  if (look?.kind === 'material') return { ...paint, name: look.name, color: look.color };
  if (look?.kind === 'picture') return { ...paint, texturePath: textures.get(look.texture) ?? '' };
  return paint;
}

type GeometryOptions = { rows: readonly number[]; scale: number; kind: MaterialKey['kind'] };

function buildGeometry(
  { vertices, triangles }: ModelObject,
  { propertyGroups }: ModelPart,
  { rows, scale, kind }: GeometryOptions,
) {
  const hasLooks = kind === 'colour' || kind === 'picture';
  const index = new VertexDeduplicator(3);
  const key = new Uint32Array(3);
  const [positions, coordinates, indices] = [
    createGrowableFloats(),
    createGrowableFloats(),
    createGrowableIndices(),
  ];
  const colours: number[] = [];
  let isClear = false;
  for (const row of rows) {
    for (let corner = 0; corner < 3; corner++) {
      const vertex = triangles.at(row + corner);
      key.set([
        vertex,
        hasLooks ? triangles.at(row + 3) : NO_PROPERTY,
        hasLooks ? triangles.at(row + 4 + corner) : NO_PROPERTY,
      ]);
      const at = index.getOrAdd(key);
      indices.push(at);
      if (3 * at < positions.length) continue;
      for (let axis = 0; axis < 3; axis++) positions.push(scale * vertices.at(3 * vertex + axis));
      if (!hasLooks) continue;
      const look = propertyGroups.get(key[1] as number)?.[key[2] as number];
      if (look?.kind !== kind) throw threeMfError('a triangle names a colour that is not there');
      if (look.kind === 'colour') {
        const colour = parseColor(look.colour);
        isClear ||= (colour[3] as number) < 1;
        colours.push(...colour.map((value) => Math.round(65535 * value)));
      } else if (look.kind === 'picture') {
        coordinates.push(look.u);
        // 3MF counts from the bottom of the picture, glTF from its top.
        coordinates.push(1 - look.v);
      }
    }
  }
  const geometry: MeshGeometry = {
    positions: positions.toTypedArray(),
    indices: indices.toTypedArray(),
  };
  if (kind === 'colour') geometry.colors = Uint16Array.from(colours);
  if (kind === 'picture') geometry.texCoords = coordinates.toTypedArray();
  return { geometry, isClear };
}

/** `#RRGGBB` or `#RRGGBBAA` in sRGB, as linear light and alpha. */
function parseColor(text: string): [number, number, number, number] {
  const found = /^#([0-9a-f]{6})([0-9a-f]{2})?$/i.exec(text);
  if (!found) return [...DEFAULT_COLOR, 1] as [number, number, number, number];
  const rgb = Number.parseInt(found[1] as string, 16);
  const linear = toLinearColor([(rgb >> 16) / 255, ((rgb >> 8) & 255) / 255, (rgb & 255) / 255]);
  return [...linear, found[2] === undefined ? 1 : Number.parseInt(found[2], 16) / 255];
}

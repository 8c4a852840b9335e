import type { Document, Material, Mesh } from '@gltf-transform/core';
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
import { throw3mfError } from './error.ts';
import {
  type ModelObject,
  type ModelPart,
  NO_PROPERTY,
  NUMBERS_PER_TRIANGLE,
  type TriangleProperty,
} from './model-part.ts';

/** The properties of a material. Triangles with equal ones share it. */
type MaterialKey = {
  kind: TriangleProperty['kind'] | 'default';
  name: string;
  color: string;
  texturePath: string;
  /** Whether a vertex color is translucent. */
  hasTranslucentColors: boolean;
};

/**
 * Returns a function that creates the mesh of an object, with one primitive per material.
 * It returns undefined if the object has no triangles.
 */
export function createMeshFactory(document: Document, textures: TextureLoader) {
  const materials = new Map<string, Promise<Material>>();
  const getMaterial = (materialKey: MaterialKey): Promise<Material> => {
    const { kind, name, color, texturePath, hasTranslucentColors } = materialKey;
    const key = [kind, name, color, texturePath, hasTranslucentColors].join('\n');
    const material = materials.get(key) ?? createMaterial(document, textures, materialKey);
    materials.set(key, material);
    return material;
  };
  return async (object: ModelObject, part: ModelPart, scale: number): Promise<Mesh | undefined> => {
    if (object.triangles.length === 0) return undefined;
    const mesh = document.createMesh(object.name);
    for (const { materialKey, triangleOffsets } of groupTriangles(object, part)) {
      const options = { triangleOffsets, scale, kind: materialKey.kind };
      const { geometry, hasTranslucentColors } = buildGeometry(object, part, options);
      const material = await getMaterial({ ...materialKey, hasTranslucentColors });
      addPrimitive(document, mesh, { geometry, material });
    }
    return mesh;
  };
}

async function createMaterial(
  document: Document,
  textures: TextureLoader,
  { kind, name, color, texturePath, hasTranslucentColors }: MaterialKey,
): Promise<Material> {
  if (kind === 'texture') {
    const texture = await textures.load(texturePath, '');
    return createDefaultMaterial(document, [1, 1, 1]).setBaseColorTexture(texture ?? null);
  }
  if (kind !== 'material') {
    const material = createDefaultMaterial(document, kind === 'color' ? [1, 1, 1] : DEFAULT_COLOR);
    return hasTranslucentColors ? material.setAlphaMode('BLEND') : material;
  }
  const [red, green, blue, alpha] = parseColor(color);
  const material = createDefaultMaterial(document, [red, green, blue], name).setAlpha(alpha);
  return alpha < 1 ? material.setAlphaMode('BLEND') : material;
}

/** Groups the offsets of the triangles in the list of triangles by material. */
function groupTriangles({ triangles }: ModelObject, { propertyGroups, textures }: ModelPart) {
  const groups = new Map<string, { materialKey: MaterialKey; triangleOffsets: number[] }>();
  for (let offset = 0; offset < triangles.length; offset += NUMBERS_PER_TRIANGLE) {
    const groupId = triangles.at(offset + 3);
    const propertyIndex = triangles.at(offset + 4);
    const property = propertyGroups.get(groupId)?.[propertyIndex];
    const key = `${groupId} ${property?.kind === 'material' ? propertyIndex : ''}`;
    const group = groups.get(key) ?? {
      materialKey: toMaterialKey(property, textures),
      triangleOffsets: [],
    };
    group.triangleOffsets.push(offset);
    groups.set(key, group);
  }
  return groups.values();
}

function toMaterialKey(
  property: TriangleProperty | undefined,
  textures: ModelPart['textures'],
): MaterialKey {
  const kind = property?.kind ?? 'default';
  const key: MaterialKey = {
    kind,
    name: '',
    color: '',
    texturePath: '',
    hasTranslucentColors: false,
  };
  if (property?.kind === 'material') return { ...key, name: property.name, color: property.color };
  if (property?.kind === 'texture') {
    return { ...key, texturePath: textures.get(property.textureId) ?? '' };
  }
  return key;
}

type GeometryOptions = {
  triangleOffsets: readonly number[];
  scale: number;
  kind: MaterialKey['kind'];
};

/** Builds the geometry of some triangles. Corners with the same vertex and property share a vertex. */
function buildGeometry(
  { vertices, triangles }: ModelObject,
  { propertyGroups }: ModelPart,
  { triangleOffsets, scale, kind }: GeometryOptions,
) {
  const hasProperties = kind === 'color' || kind === 'texture';
  const deduplicator = new VertexDeduplicator(3);
  const corner = new Uint32Array(3);
  const positions = createGrowableFloats();
  const texCoords = createGrowableFloats();
  const indices = createGrowableIndices();
  const colors: number[] = [];
  const addVertex = (vertex: number, groupId: number, propertyIndex: number) => {
    for (let axis = 0; axis < 3; axis++) positions.push(scale * vertices.at(3 * vertex + axis));
    if (!hasProperties) return;
    const property = propertyGroups.get(groupId)?.[propertyIndex];
    if (property?.kind !== kind) throw3mfError('a triangle refers to a color that does not exist');
    if (property.kind === 'color') {
      colors.push(...parseColor(property.color).map((value) => Math.round(65535 * value)));
    } else if (property.kind === 'texture') {
      texCoords.push(property.u);
      // In 3MF v is 0 at the bottom of the image, in glTF at the top.
      texCoords.push(1 - property.v);
    }
  };
  for (const offset of triangleOffsets) {
    for (let index = 0; index < 3; index++) {
      corner[0] = triangles.at(offset + index);
      corner[1] = hasProperties ? triangles.at(offset + 3) : NO_PROPERTY;
      corner[2] = hasProperties ? triangles.at(offset + 4 + index) : NO_PROPERTY;
      const vertex = deduplicator.getOrAdd(corner);
      indices.push(vertex);
      if (3 * vertex === positions.length) addVertex(corner[0], corner[1], corner[2]);
    }
  }
  const geometry: MeshGeometry = {
    positions: positions.toTypedArray(),
    indices: indices.toTypedArray(),
  };
  if (kind === 'color') geometry.colors = Uint16Array.from(colors);
  if (kind === 'texture') geometry.texCoords = texCoords.toTypedArray();
  const hasTranslucentColors = colors.some((value, index) => index % 4 === 3 && value < 65535);
  return { geometry, hasTranslucentColors };
}

/** Converts `#RRGGBB` or `#RRGGBBAA` in sRGB to a linear color and alpha. */
function parseColor(text: string): [red: number, green: number, blue: number, alpha: number] {
  const match = /^#([0-9a-f]{6})([0-9a-f]{2})?$/i.exec(text);
  if (!match) return [...DEFAULT_COLOR, 1];
  const rgb = Number.parseInt(match[1] as string, 16);
  const linear = toLinearColor([(rgb >> 16) / 255, ((rgb >> 8) & 255) / 255, (rgb & 255) / 255]);
  return [...linear, match[2] === undefined ? 1 : Number.parseInt(match[2], 16) / 255];
}

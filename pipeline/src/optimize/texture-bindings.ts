import {
  type Document,
  ExtensionProperty,
  type Material,
  Texture,
  TextureInfo,
} from '@gltf-transform/core';

/** A texture in a slot of a material, with the index of the texture coordinates that sample it. */
export type TextureBinding = {
  info: TextureInfo;
  texture: Texture;
  slot: string;
  texCoord: number;
};

/** Lists the textures that a material samples, including those of its extensions. */
export function listTextureBindings(
  document: Document,
  property: Material | ExtensionProperty,
): TextureBinding[] {
  const edges = document.getGraph().listChildEdges(property);
  const textures = new Map<string, Texture>();
  for (const edge of edges) {
    const child = edge.getChild();
    if (child instanceof Texture) textures.set(edge.getName(), child);
  }
  return edges.flatMap((edge): TextureBinding[] => {
    const child = edge.getChild();
    if (child instanceof TextureInfo) {
      const slot = edge.getName().replace(/Info$/, '');
      const texture = textures.get(slot);
      return texture ? [{ info: child, texture, slot, texCoord: getTexCoordIndex(child) }] : [];
    }
    return child instanceof ExtensionProperty ? listTextureBindings(document, child) : [];
  });
}

type TextureTransform = ExtensionProperty & { getTexCoord(): number | null };

function getTexCoordIndex(info: TextureInfo): number {
  const transform = info.getExtension<TextureTransform>('KHR_texture_transform');
  return transform?.getTexCoord() ?? info.getTexCoord();
}

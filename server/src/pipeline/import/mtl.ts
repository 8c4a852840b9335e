import type { Document, Material, vec3 } from '@gltf-transform/core';
import sharp from 'sharp';
import type { Warning } from '../report.ts';
import { pictureName, tellMtl, unreadIn } from './mtl-unread.ts';
import { GREY, linearColour, PLAIN_ROUGHNESS, plainMaterial } from './scene.ts';
import type { Textures } from './textures.ts';
import { Words } from './words.ts';

/** A material as an MTL file has it: the words after each keyword. */
export type Mtl = { name: string; path: string; says: Map<string, string> };

/** Reads the materials of an MTL file that lies at `path`. */
export function readMtl(bytes: Buffer, path: string): Mtl[] {
  const materials: Mtl[] = [];
  for (const words = new Words(bytes); !words.done; ) {
    const keyword = words.word().toLowerCase();
    const rest = words.rest();
    if (keyword === 'newmtl') materials.push({ name: rest, path, says: new Map() });
    else if (keyword !== '' && !keyword.startsWith('#')) materials.at(-1)?.says.set(keyword, rest);
  }
  return materials;
}

/**
 * Turns a material of an MTL into one of glTF. Colours are sRGB, as all programs show them.
 *
 * The roughness comes from `Pr` or else from the shininess `Ns` as Blender writes it, which is where
 * most of these files come from: Ns = 900 (1 - roughness)².
 */
export async function paint(
  { name, path, says }: Mtl,
  { document, textures, warnings }: { document: Document; textures: Textures; warnings: Warning[] },
): Promise<Material> {
  const number = (keyword: string) => numbers(says.get(keyword))[0];
  const picture = async (...keywords: string[]) => {
    const keyword = keywords.find((each) => says.has(each));
    return keyword === undefined
      ? undefined
      : textures.find(pictureName(says.get(keyword) ?? ''), path);
  };
  const painting = await picture('map_kd');
  const kd = says.has('kd') ? linearColour(numbers(says.get('kd'))) : GREY;
  // Black under a picture is a habit of some programs that show the picture as it is.
  const colour: Readonly<vec3> =
    painting && (!says.has('kd') || kd.every((value) => value === 0)) ? [1, 1, 1] : kd;
  const material = plainMaterial(document, colour, name)
    .setBaseColorTexture(painting ?? null)
    .setRoughnessFactor(roughnessOf(number('pr'), number('ns'), numbers(says.get('ks'))))
    .setMetallicFactor(within(number('pm') ?? 0))
    .setEmissiveFactor(linearColour(numbers(says.get('ke'))))
    .setEmissiveTexture((await picture('map_ke')) ?? null);
  if (says.has('map_ke') && !says.has('ke')) material.setEmissiveFactor([1, 1, 1]);

  const opacity = within(number('d') ?? 1 - (number('tr') ?? 0));
  if (opacity < 1) material.setAlphaMode('BLEND').setAlpha(opacity);
  else if (says.has('map_d')) material.setAlphaMode('MASK');
  const bumps = await picture('norm', 'map_bump', 'bump');
  if (bumps && (says.has('norm') || (await isNormalMap(bumps.getImage()))))
    material.setNormalTexture(bumps);
  else if (bumps) warnings.push(unreadIn(name, 'a height map'));
  warnings.push(...tellMtl(name, says));
  return material;
}

function roughnessOf(
  roughness: number | undefined,
  shininess: number | undefined,
  specular: readonly number[],
): number {
  if (roughness !== undefined) return within(roughness);
  if (specular.length > 0 && specular.every((value) => value === 0)) return 1;
  if (shininess === undefined) return PLAIN_ROUGHNESS;
  return within(1 - Math.sqrt(Math.max(shininess, 0)) / 30);
}

function within(value: number): number {
  return Math.min(Math.max(value, 0), 1);
}

function numbers(text = ''): number[] {
  return text.split(/\s+/).map(Number.parseFloat).filter(Number.isFinite);
}

/** Normal maps stand where height maps belong (Blender writes them so): they are blue all over. */
async function isNormalMap(image: Uint8Array | null): Promise<boolean> {
  if (!image) return false;
  const { channels } = await sharp(image).stats();
  const [red, green, blue] = channels.map(({ mean }) => mean);
  return blue !== undefined && blue > 150 && near(red) && near(green);
}

function near(mean: number | undefined): boolean {
  return mean !== undefined && Math.abs(mean - 128) < 40;
}

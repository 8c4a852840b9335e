import type { ProcessingWarning } from '@cloche/contract/design';
import type { Document, Material, vec3 } from '@gltf-transform/core';
import sharp from 'sharp';
import { toLinearColor } from '../../mesh/color.ts';
import {
  createDefaultMaterial,
  DEFAULT_COLOR,
  DEFAULT_ROUGHNESS,
} from '../../mesh/default-material.ts';
import type { TextureLoader } from '../../mesh/texture-loader.ts';
import { Tokenizer } from '../../validation/tokenizer.ts';
import { collectMtlWarnings, getTextureName, ignoredStatement } from './warnings.ts';

/** A material as an MTL file has it: the words after each keyword. */
export type MtlMaterial = { name: string; path: string; statements: Map<string, string> };

/** Reads the materials of an MTL file that lies at `path`. */
export function parseMtl(bytes: Buffer, path: string): MtlMaterial[] {
  const materials: MtlMaterial[] = [];
  for (const words = new Tokenizer(bytes); !words.isAtEnd; ) {
    const keyword = words.readToken().toLowerCase();
    const rest = words.readRestOfLine();
    if (keyword === 'newmtl') materials.push({ name: rest, path, statements: new Map() });
    else if (keyword !== '' && !keyword.startsWith('#'))
      materials.at(-1)?.statements.set(keyword, rest);
  }
  return materials;
}

/**
 * Turns a material of an MTL into one of glTF. Colours are sRGB, as all programs show them.
 *
 * The roughness comes from `Pr` or else from the shininess `Ns` as Blender writes it, which is where
 * most of these files come from: Ns = 900 (1 - roughness)².
 */
export async function createMtlMaterial(
  { name, path, statements }: MtlMaterial,
  {
    document,
    textures,
    warnings,
  }: { document: Document; textures: TextureLoader; warnings: ProcessingWarning[] },
): Promise<Material> {
  const number = (keyword: string) => parseNumbers(statements.get(keyword))[0];
  const picture = async (...keywords: string[]) => {
    const keyword = keywords.find((each) => statements.has(each));
    return keyword === undefined
      ? undefined
      : textures.load(getTextureName(statements.get(keyword) ?? ''), path);
  };
  const painting = await picture('map_kd');
  const kd = statements.has('kd')
    ? toLinearColor(parseNumbers(statements.get('kd')))
    : DEFAULT_COLOR;
  // Black under a picture is a habit of some programs that show the picture as it is.
  const colour: Readonly<vec3> =
    painting && (!statements.has('kd') || kd.every((value) => value === 0)) ? [1, 1, 1] : kd;
  const material = createDefaultMaterial(document, colour, name)
    .setBaseColorTexture(painting ?? null)
    .setRoughnessFactor(toRoughness(number('pr'), number('ns'), parseNumbers(statements.get('ks'))))
    .setMetallicFactor(clamp01(number('pm') ?? 0))
    .setEmissiveFactor(toLinearColor(parseNumbers(statements.get('ke'))))
    .setEmissiveTexture((await picture('map_ke')) ?? null);
  if (statements.has('map_ke') && !statements.has('ke')) material.setEmissiveFactor([1, 1, 1]);

  const opacity = clamp01(number('d') ?? 1 - (number('tr') ?? 0));
  if (opacity < 1) material.setAlphaMode('BLEND').setAlpha(opacity);
  else if (statements.has('map_d')) material.setAlphaMode('MASK');
  const bumps = await picture('norm', 'map_bump', 'bump');
  if (bumps && (statements.has('norm') || (await isNormalMap(bumps.getImage()))))
    material.setNormalTexture(bumps);
  else if (bumps) warnings.push(ignoredStatement(name, 'a height map'));
  warnings.push(...collectMtlWarnings(name, statements));
  return material;
}

function toRoughness(
  roughness: number | undefined,
  shininess: number | undefined,
  specular: readonly number[],
): number {
  if (roughness !== undefined) return clamp01(roughness);
  if (specular.length > 0 && specular.every((value) => value === 0)) return 1;
  if (shininess === undefined) return DEFAULT_ROUGHNESS;
  return clamp01(1 - Math.sqrt(Math.max(shininess, 0)) / 30);
}

function clamp01(value: number): number {
  return Math.min(Math.max(value, 0), 1);
}

function parseNumbers(text = ''): number[] {
  return text.split(/\s+/).map(Number.parseFloat).filter(Number.isFinite);
}

/** Normal maps stand where height maps belong (Blender writes them so): they are blue all over. */
async function isNormalMap(image: Uint8Array | null): Promise<boolean> {
  if (!image) return false;
  const { channels } = await sharp(image).stats();
  const [red, green, blue] = channels.map(({ mean }) => mean);
  return blue !== undefined && blue > 150 && isNearMiddle(red) && isNearMiddle(green);
}

function isNearMiddle(mean: number | undefined): boolean {
  return mean !== undefined && Math.abs(mean - 128) < 40;
}

import type { ProcessingWarning } from '@cloche/contract/design';
import type { Document, Material, vec3 } from '@gltf-transform/core';
import sharp from 'sharp';
import { clamp01, toLinearColor } from '../../mesh/color.ts';
import {
  createDefaultMaterial,
  DEFAULT_COLOR,
  DEFAULT_ROUGHNESS,
} from '../../mesh/default-material.ts';
import type { TextureLoader } from '../../mesh/texture-loader.ts';
import { parseNumber, Tokenizer } from '../../validation/tokenizer.ts';
import { getOpacity } from './opacity.ts';
import { parseTextureStatement } from './texture-statement.ts';
import { collectMtlWarnings, ignoredStatementWarning } from './warnings.ts';

/** A material of an MTL file: its statements by keyword, in lower case. */
export type MtlMaterial = { name: string; path: string; statements: Map<string, string> };

/** Parses the materials of the MTL file at `path`. */
export function parseMtl(bytes: Buffer, path: string): MtlMaterial[] {
  const materials: MtlMaterial[] = [];
  const tokenizer = new Tokenizer(bytes);
  while (!tokenizer.isAtEnd) {
    const keyword = tokenizer.readToken().toLowerCase();
    const value = tokenizer.readRestOfLine();
    if (keyword === 'newmtl') materials.push({ name: value, path, statements: new Map() });
    else if (keyword !== '' && !keyword.startsWith('#')) {
      materials.at(-1)?.statements.set(keyword, value);
    }
  }
  return materials;
}

type MtlContext = { document: Document; textures: TextureLoader; warnings: ProcessingWarning[] };

/**
 * Creates the glTF material for an MTL material. MTL colors are treated as sRGB, as all programs do.
 *
 * The roughness comes from `Pr`, or else from the shininess `Ns`. Most MTL files come from Blender,
 * which writes Ns = 900 (1 - roughness)².
 */
export async function createMtlMaterial(
  mtl: MtlMaterial,
  { document, textures, warnings }: MtlContext,
): Promise<Material> {
  const { name, path, statements } = mtl;
  const getNumbers = (keyword: string) => parseNumbers(statements.get(keyword));
  const loadTexture = async (...keywords: string[]) => {
    const statement = keywords.map((keyword) => statements.get(keyword)).find(isDefined);
    return statement === undefined
      ? undefined
      : textures.load(parseTextureStatement(statement).name, path);
  };
  const baseColorTexture = await loadTexture('map_kd');
  const material = createDefaultMaterial(
    document,
    getBaseColor(statements, baseColorTexture !== undefined),
    name,
  )
    .setBaseColorTexture(baseColorTexture ?? null)
    .setRoughnessFactor(toRoughness(getNumbers('pr')[0], getNumbers('ns')[0], getNumbers('ks')))
    .setMetallicFactor(clamp01(getNumbers('pm')[0] ?? 0))
    .setEmissiveFactor(toLinearColor(getNumbers('ke')))
    .setEmissiveTexture((await loadTexture('map_ke')) ?? null);
  if (statements.has('map_ke') && !statements.has('ke')) material.setEmissiveFactor([1, 1, 1]);

  const opacity = getOpacity(getNumbers('d')[0], getNumbers('tr')[0]);
  if (opacity < 1) material.setAlphaMode('BLEND').setAlpha(opacity);
  else if (statements.has('map_d')) material.setAlphaMode('MASK');

  const bumpTexture = await loadTexture('norm', 'map_bump', 'bump');
  if (bumpTexture && (statements.has('norm') || (await isNormalMap(bumpTexture.getImage())))) {
    material.setNormalTexture(bumpTexture);
  } else if (bumpTexture) {
    warnings.push(ignoredStatementWarning(name, 'a height map'));
  }
  warnings.push(...collectMtlWarnings(mtl));
  return material;
}

function isDefined(value: string | undefined): value is string {
  return value !== undefined;
}

function getBaseColor(
  statements: ReadonlyMap<string, string>,
  hasTexture: boolean,
): Readonly<vec3> {
  const kd = statements.get('kd');
  const color = kd === undefined ? undefined : toLinearColor(parseNumbers(kd));
  if (!hasTexture) return color ?? DEFAULT_COLOR;
  // Some programs write black for a material with a texture, but show the texture unchanged.
  const isBlack = color?.every((value) => value === 0);
  return color && !isBlack ? color : [1, 1, 1];
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

function parseNumbers(text = ''): number[] {
  return text.split(/\s+/).map(parseNumber).filter(Number.isFinite);
}

/** Blender writes normal maps in statements for height maps. A normal map is blue on average. */
async function isNormalMap(image: Uint8Array | null): Promise<boolean> {
  if (!image) return false;
  const { channels } = await sharp(image).stats();
  const [red, green, blue] = channels.map(({ mean }) => mean);
  return blue !== undefined && blue > 150 && isNearMiddle(red) && isNearMiddle(green);
}

function isNearMiddle(mean: number | undefined): boolean {
  return mean !== undefined && Math.abs(mean - 128) < 40;
}

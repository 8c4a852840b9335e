import type { ProcessingWarning } from '@cloche/contract/design';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import { unitsAssumedWarning } from '../../mesh/coordinate-system.ts';
import { listIgnoredOptions, ONES, parseTextureStatement, ZEROS } from './texture-statement.ts';

/** Statements that are read, or that have no effect by themselves. */
const SUPPORTED_STATEMENTS = new Set([
  ...['kd', 'ka', 'ks', 'ke', 'ns', 'ni', 'd', 'tr', 'illum', 'pr', 'pm', 'pcr', 'anisor'],
  ...['map_kd', 'map_ke', 'map_bump', 'bump', 'norm', 'map_ka', 'map_d', 'sharpness'],
]);
const TEXTURE_STATEMENT = /^(map_|bump|norm)/;
/** The values of `illum` that mean refraction. */
const REFRACTION_MODELS = ['6', '7'];

/** Collects warnings about what is assumed about an OBJ, and what is ignored. */
export function collectObjWarnings({
  ignoredElementCount,
}: {
  ignoredElementCount: number;
}): ProcessingWarning[] {
  const warnings = [unitsAssumedWarning('OBJ', 'meters', 'Y')];
  if (ignoredElementCount > 0) {
    const message = 'The OBJ has points, lines, curves or free-form surfaces, which were ignored.';
    warnings.push({ code: 'lines.ignored', message });
  }
  return warnings;
}

/** Collects warnings about ignored statements and options of a material that have an effect. */
export function collectMtlWarnings({
  name,
  statements,
}: {
  name: string;
  statements: ReadonlyMap<string, string>;
}): ProcessingWarning[] {
  const ignored: string[] = [];
  for (const [keyword, value] of statements) {
    if (!SUPPORTED_STATEMENTS.has(keyword)) {
      const hasEffect = !(keyword === 'tf' ? ONES : ZEROS).test(value);
      if (hasEffect) ignored.push(quoteUntrusted(keyword));
    } else if (TEXTURE_STATEMENT.test(keyword)) {
      const options = listIgnoredOptions(value);
      ignored.push(...options.map((option) => `the texture option ${quoteUntrusted(option)}`));
    }
  }
  if (REFRACTION_MODELS.includes(statements.get('illum') ?? '')) ignored.push('refraction');
  if (hasSeparateOpacityTexture(statements)) ignored.push('a separate opacity texture');
  return ignored.map((feature) => ignoredStatementWarning(name, feature));
}

/** Whether the opacity texture is another file than the color texture, whose alpha channel is used. */
function hasSeparateOpacityTexture(statements: ReadonlyMap<string, string>): boolean {
  const opacity = statements.get('map_d');
  if (opacity === undefined) return false;
  const color = statements.get('map_kd') ?? '';
  return parseTextureStatement(opacity).name !== parseTextureStatement(color).name;
}

/** Returns the warning about a feature of a material that is ignored. */
export function ignoredStatementWarning(materialName: string, feature: string): ProcessingWarning {
  return {
    code: 'material.ignored',
    message: `The material ${quoteUntrusted(materialName)} has ${feature}, which was ignored.`,
  };
}

/** Returns the warning about an MTL file that was not uploaded. */
export function missingLibraryWarning(library: string): ProcessingWarning {
  const message = `The materials in ${quoteUntrusted(library)} were not uploaded with the model.`;
  return { code: 'material.missing', message };
}

/** Returns the warning about a material that no MTL file defines. */
export function missingMaterialWarning(name: string): ProcessingWarning {
  const message = `The material ${quoteUntrusted(name)} is in none of the MTL files.`;
  return { code: 'material.missing', message };
}

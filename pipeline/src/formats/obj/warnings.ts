import type { ProcessingWarning } from '@cloche/contract/design';
import { quoteUntrusted } from '../../validation/quote-untrusted.ts';

/** What of an MTL is drawn, or changes nothing by itself; the rest is told as unread. */
const SUPPORTED_STATEMENTS = new Set([
  ...['kd', 'ka', 'ks', 'ke', 'ns', 'ni', 'd', 'tr', 'illum', 'pr', 'pm', 'pcr', 'anisor'],
  ...['map_kd', 'map_ke', 'map_bump', 'bump', 'norm', 'map_ka', 'map_d', 'sharpness'],
]);
/** Light that is bent on its way through. */
const REFRACTION_MODELS = ['6', '7'];

type TextureOption = { argumentCount: number /** Values that change nothing. */; noEffect: RegExp };
const IGNORABLE: TextureOption = { argumentCount: 1, noEffect: /^/ };
const ZEROS = /^[-+0.\s]*$/;
const ONES = /^(1(\.0*)?\s*)*$/;

/** Options before the name of a picture, and how many words each takes. */
const TEXTURE_OPTIONS: { readonly [option: string]: TextureOption } = {
  '-blendu': IGNORABLE,
  '-blendv': IGNORABLE,
  '-cc': IGNORABLE,
  '-clamp': { argumentCount: 1, noEffect: /^off$/i },
  '-bm': { argumentCount: 1, noEffect: ONES },
  '-boost': IGNORABLE,
  '-texres': IGNORABLE,
  '-imfchan': IGNORABLE,
  '-type': IGNORABLE,
  '-mm': { argumentCount: 2, noEffect: /^[0.]+ 1[.0]*$/ },
  '-o': { argumentCount: 3, noEffect: ZEROS },
  '-s': { argumentCount: 3, noEffect: ONES },
  '-t': { argumentCount: 3, noEffect: ZEROS },
};

/** Tells what the material says that is not read, unless it says that there is nothing. */
export function collectMtlWarnings(
  name: string,
  says: ReadonlyMap<string, string>,
): ProcessingWarning[] {
  const warnings: ProcessingWarning[] = [];
  for (const [keyword, text] of says) {
    const isIdle = keyword === 'tf' ? ONES.test(text) : ZEROS.test(text);
    if (!SUPPORTED_STATEMENTS.has(keyword) && !isIdle)
      warnings.push(ignoredStatement(name, quoteUntrusted(keyword)));
    if (!SUPPORTED_STATEMENTS.has(keyword) || !/^(map_|bump|norm)/.test(keyword)) continue;
    for (const [option, values] of parseTextureStatement(text).options) {
      if (TEXTURE_OPTIONS[option]?.noEffect.test(values)) continue;
      warnings.push(ignoredStatement(name, `the option ${quoteUntrusted(option)} of a picture`));
    }
  }
  if (REFRACTION_MODELS.includes(says.get('illum') ?? ''))
    warnings.push(ignoredStatement(name, 'refraction'));
  const clear = says.get('map_d');
  if (clear !== undefined && getTextureName(clear) !== getTextureName(says.get('map_kd') ?? '')) {
    warnings.push(ignoredStatement(name, 'a separate picture of its transparency'));
  }
  return warnings;
}

export function ignoredStatement(name: string, what: string): ProcessingWarning {
  return {
    code: 'material.unread',
    message: `The material ${quoteUntrusted(name)} has ${what}, which was not read.`,
  };
}

/** The name of the picture behind its options; it may have spaces. */
export function getTextureName(text: string): string {
  return parseTextureStatement(text).name;
}

function parseTextureStatement(text: string): { name: string; options: [string, string][] } {
  const words = text.split(/\s+/);
  const options: [string, string][] = [];
  while (words[0] !== undefined && Object.hasOwn(TEXTURE_OPTIONS, words[0].toLowerCase())) {
    const option = (words.shift() as string).toLowerCase();
    const most = TEXTURE_OPTIONS[option]?.argumentCount ?? 0;
    let taken = 0;
    while (taken < most && (taken === 0 || Number.isFinite(Number(words[taken])))) taken++;
    options.push([option, words.splice(0, taken).join(' ')]);
  }
  return { name: words.join(' '), options };
}

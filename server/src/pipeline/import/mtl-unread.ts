import { quote } from '../preflight/quote.ts';
import type { Warning } from '../report.ts';

/** What of an MTL is drawn, or changes nothing by itself; the rest is told as unread. */
const READ = new Set([
  ...['kd', 'ka', 'ks', 'ke', 'ns', 'ni', 'd', 'tr', 'illum', 'pr', 'pm', 'pcr', 'anisor'],
  ...['map_kd', 'map_ke', 'map_bump', 'bump', 'norm', 'map_ka', 'map_d', 'sharpness'],
]);
/** Light that is bent on its way through. */
const REFRACTION = ['6', '7'];

type Option = { words: number /** Values that change nothing. */; idle: RegExp };
const ALL: Option = { words: 1, idle: /^/ };
const NONE = /^[-+0.\s]*$/;
const ONE = /^(1(\.0*)?\s*)*$/;

/** Options before the name of a picture, and how many words each takes. */
const OPTIONS: { readonly [option: string]: Option } = {
  '-blendu': ALL,
  '-blendv': ALL,
  '-cc': ALL,
  '-clamp': { words: 1, idle: /^off$/i },
  '-bm': { words: 1, idle: ONE },
  '-boost': ALL,
  '-texres': ALL,
  '-imfchan': ALL,
  '-type': ALL,
  '-mm': { words: 2, idle: /^[0.]+ 1[.0]*$/ },
  '-o': { words: 3, idle: NONE },
  '-s': { words: 3, idle: ONE },
  '-t': { words: 3, idle: NONE },
};

/** Tells what the material says that is not read, unless it says that there is nothing. */
export function tellMtl(name: string, says: ReadonlyMap<string, string>): Warning[] {
  const warnings: Warning[] = [];
  for (const [keyword, text] of says) {
    const isIdle = keyword === 'tf' ? ONE.test(text) : NONE.test(text);
    if (!READ.has(keyword) && !isIdle) warnings.push(unreadIn(name, quote(keyword)));
    if (!READ.has(keyword) || !/^(map_|bump|norm)/.test(keyword)) continue;
    for (const [option, values] of splitPicture(text).options) {
      if (OPTIONS[option]?.idle.test(values)) continue;
      warnings.push(unreadIn(name, `the option ${quote(option)} of a picture`));
    }
  }
  if (REFRACTION.includes(says.get('illum') ?? '')) warnings.push(unreadIn(name, 'refraction'));
  const clear = says.get('map_d');
  if (clear !== undefined && pictureName(clear) !== pictureName(says.get('map_kd') ?? '')) {
    warnings.push(unreadIn(name, 'a separate picture of its transparency'));
  }
  return warnings;
}

export function unreadIn(name: string, what: string): Warning {
  return {
    code: 'material.unread',
    message: `The material ${quote(name)} has ${what}, which was not read.`,
  };
}

/** The name of the picture behind its options; it may have spaces. */
export function pictureName(text: string): string {
  return splitPicture(text).name;
}

function splitPicture(text: string): { name: string; options: [string, string][] } {
  const words = text.split(/\s+/);
  const options: [string, string][] = [];
  while (words[0] !== undefined && Object.hasOwn(OPTIONS, words[0].toLowerCase())) {
    const option = (words.shift() as string).toLowerCase();
    const most = OPTIONS[option]?.words ?? 0;
    let taken = 0;
    while (taken < most && (taken === 0 || Number.isFinite(Number(words[taken])))) taken++;
    options.push([option, words.splice(0, taken).join(' ')]);
  }
  return { name: words.join(' '), options };
}

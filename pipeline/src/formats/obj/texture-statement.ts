/** A texture statement of an MTL, such as `-s 2 2 1 wood.png`. The file name may have spaces. */
export type TextureStatement = { name: string; options: [option: string, values: string][] };

/** The maximum number of arguments of an option, and a pattern for arguments without effect. */
type TextureOption = { maxArgumentCount: number; noEffect: RegExp };

/** Matches numbers that are all 0. */
export const ZEROS = /^[-+0.\s]*$/;
/** Matches numbers that are all 1. */
export const ONES = /^(1(\.0*)?\s*)*$/;
const WITHOUT_EFFECT: TextureOption = { maxArgumentCount: 1, noEffect: /^/ };

const TEXTURE_OPTIONS: { readonly [option: string]: TextureOption } = {
  '-blendu': WITHOUT_EFFECT,
  '-blendv': WITHOUT_EFFECT,
  '-cc': WITHOUT_EFFECT,
  '-clamp': { maxArgumentCount: 1, noEffect: /^off$/i },
  '-bm': { maxArgumentCount: 1, noEffect: ONES },
  '-boost': WITHOUT_EFFECT,
  '-texres': WITHOUT_EFFECT,
  '-imfchan': WITHOUT_EFFECT,
  '-type': WITHOUT_EFFECT,
  '-mm': { maxArgumentCount: 2, noEffect: /^[0.]+ 1[.0]*$/ },
  '-o': { maxArgumentCount: 3, noEffect: ZEROS },
  '-s': { maxArgumentCount: 3, noEffect: ONES },
  '-t': { maxArgumentCount: 3, noEffect: ZEROS },
};

/** Splits a texture statement into its options and the file name after them. */
export function parseTextureStatement(text: string): TextureStatement {
  const words = text.split(/\s+/);
  const options: [string, string][] = [];
  while (words[0] !== undefined && Object.hasOwn(TEXTURE_OPTIONS, words[0].toLowerCase())) {
    const option = (words.shift() as string).toLowerCase();
    const maxCount = TEXTURE_OPTIONS[option]?.maxArgumentCount ?? 0;
    let count = 0;
    while (count < maxCount && (count === 0 || Number.isFinite(Number(words[count])))) count++;
    options.push([option, words.splice(0, count).join(' ')]);
  }
  return { name: words.join(' '), options };
}

/** Lists the options of a texture statement that would change the texture, but are ignored. */
export function listIgnoredOptions(text: string): string[] {
  return parseTextureStatement(text)
    .options.filter(([option, values]) => !TEXTURE_OPTIONS[option]?.noEffect.test(values))
    .map(([option]) => option);
}

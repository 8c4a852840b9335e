/** The parameters of Punycode for host names, RFC 3492. */
const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const INITIAL_BIAS = 72;
const INITIAL_CODE_POINT = 128;

/** Decodes a label after its prefix `xn--`. Undefined: it is not valid Punycode. */
export function decodePunycode(encoded: string): string | undefined {
  const delimiter = encoded.lastIndexOf('-');
  const output = Array.from(encoded.slice(0, Math.max(delimiter, 0)));
  const digits = Array.from(encoded.slice(delimiter + 1), (digit) => Number.parseInt(digit, BASE));
  let codePoint = INITIAL_CODE_POINT;
  let index = 0;
  let bias = INITIAL_BIAS;
  // In Punycode, the letters are 0 to 25 and the digits 26 to 35.
  const values = digits.map((digit) => (digit < 10 ? digit + 26 : digit - 10));
  for (let position = 0; position < values.length; ) {
    const start = index;
    let weight = 1;
    for (let k = BASE; ; k += BASE) {
      const value = values[position];
      position += 1;
      if (value === undefined || Number.isNaN(value)) return undefined;
      index += value * weight;
      const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
      if (value < threshold) break;
      weight *= BASE - threshold;
    }
    const length = output.length + 1;
    bias = adaptBias(index - start, length, start === 0);
    codePoint += Math.floor(index / length);
    index %= length;
    if (codePoint > 0x10ffff) return undefined;
    output.splice(index, 0, String.fromCodePoint(codePoint));
    index += 1;
  }
  return output.join('');
}

function adaptBias(delta: number, length: number, isFirst: boolean): number {
  let rest = isFirst ? Math.floor(delta / DAMP) : delta >> 1;
  rest += Math.floor(rest / length);
  let k = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}

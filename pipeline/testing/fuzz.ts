import { randomInt } from 'node:crypto';

/** Pseudo-random numbers that are the same for the same seed (mulberry32). */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns an integer from 0 to `end`, not included. */
  int(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.int(items.length)];
    if (item === undefined) throw new RangeError('there is nothing to pick from');
    return item;
  }
}

/** The seed of this run: `CLOCHE_FUZZ_SEED`, else a random one. */
export function readFuzzSeed(): number {
  return Number(process.env.CLOCHE_FUZZ_SEED ?? randomInt(2 ** 31));
}

/**
 * The number of runs of a test that has this share of all runs: `CLOCHE_FUZZ_RUNS`, which `npm run test:fuzz`
 * sets, else 2,000.
 */
export function readFuzzRuns(share: number): number {
  return Math.ceil(Number(process.env.CLOCHE_FUZZ_RUNS ?? 2_000) * share);
}

/** Values at which the code that reads numbers may fail. */
const EXTREME_NUMBERS = [0, 1, 2, 127, 128, 255, 256, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff];
const EXTREME_TEXTS = [
  '',
  '-1',
  '0',
  '1e308',
  '-1e-308',
  'NaN',
  '4294967296',
  '"',
  '{',
  ']',
  '<',
  '\0',
];
const EXTREME_TOKENS = [
  ...EXTREME_TEXTS,
  '#1',
  '$',
  '()',
  '&#0;',
  '../',
  'é',
  '🫖',
  '9'.repeat(40),
];

type Mutation = (bytes: Buffer, random: SeededRandom, others: readonly Buffer[]) => Buffer;

const MUTATIONS: readonly Mutation[] = [
  flipBit,
  overwriteByte,
  writeExtremeNumber,
  replaceToken,
  cut,
  removePart,
  repeatPart,
  insertPartOfAnother,
];

/** Changes a file in 1 to 6 places. `others` are files from which parts are taken. */
export function mutate(bytes: Buffer, random: SeededRandom, others: readonly Buffer[]): Buffer {
  let mutated: Buffer = Buffer.from(bytes);
  for (let count = 1 + random.int(1 + random.int(6)); count > 0; count -= 1) {
    mutated = random.pick(MUTATIONS)(mutated, random, others);
  }
  return mutated;
}

function flipBit(bytes: Buffer, random: SeededRandom): Buffer {
  if (bytes.length === 0) return bytes;
  const index = random.int(bytes.length);
  bytes[index] = (bytes[index] ?? 0) ^ (1 << random.int(8));
  return bytes;
}

function overwriteByte(bytes: Buffer, random: SeededRandom): Buffer {
  if (bytes.length > 0) bytes[random.int(bytes.length)] = random.int(256);
  return bytes;
}

function writeExtremeNumber(bytes: Buffer, random: SeededRandom): Buffer {
  if (bytes.length >= 4)
    bytes.writeUInt32LE(random.pick(EXTREME_NUMBERS), random.int(bytes.length - 3));
  return bytes;
}

/** Replaces a number or a word of a text, or what looks like one in a binary file. */
function replaceToken(bytes: Buffer, random: SeededRandom): Buffer {
  const start = random.int(bytes.length + 1);
  const match = /[\w.+-]+/.exec(bytes.toString('latin1', start, start + 200));
  if (match === null) return bytes;
  const from = start + match.index;
  const replacement = Buffer.from(random.pick(EXTREME_TOKENS));
  return Buffer.concat([
    bytes.subarray(0, from),
    replacement,
    bytes.subarray(from + match[0].length),
  ]);
}

function cut(bytes: Buffer, random: SeededRandom): Buffer {
  return bytes.subarray(0, random.int(bytes.length + 1));
}

function removePart(bytes: Buffer, random: SeededRandom): Buffer {
  const start = random.int(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, start), bytes.subarray(start + random.int(64))]);
}

function repeatPart(bytes: Buffer, random: SeededRandom): Buffer {
  const start = random.int(bytes.length + 1);
  const part = bytes.subarray(start, start + random.int(256));
  const copies = Array.from({ length: 1 + random.int(20) }, () => part);
  return Buffer.concat([bytes.subarray(0, start), ...copies, bytes.subarray(start)]);
}

function insertPartOfAnother(
  bytes: Buffer,
  random: SeededRandom,
  others: readonly Buffer[],
): Buffer {
  const other = random.pick(others);
  const start = random.int(other.length + 1);
  const at = random.int(bytes.length + 1);
  const part = other.subarray(start, start + random.int(256));
  return Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at)]);
}

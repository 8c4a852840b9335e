import { parseArgs } from 'node:util';
import { NETWORK_PROFILES, type NetworkProfile } from './network/profiles.ts';
import { PEERS } from './peers.ts';

export type BenchOptions = {
  /** Names; undefined: all. */
  models: readonly string[] | undefined;
  networks: readonly NetworkProfile[];
  contenders: readonly string[];
  visits: readonly ('cold' | 'warm')[];
  rounds: number;
  /** The path of the results without an extension. */
  output: string;
  /** Adds to the results that exist. */
  append: boolean;
  timeoutMs: number;
  /** Also stores the pictures of each visit, in a folder next to the results. */
  frames: boolean;
};

export const CLOCHE = 'cloche';
export const DEFAULT_OUTPUT = 'bench/dist/first-frame';
const CONTENDERS = [CLOCHE, ...PEERS.map(({ name }) => name)];
const VISITS = ['cold', 'warm'] as const;

export const USAGE = `Options, each with names separated by commas:
  --models=Box,Fox              default: all
  --networks=none,20,1.6        default: all
  --contenders=${CONTENDERS.join(',')}
  --visits=cold,warm            default: cold; warm is the third visit; with warm alone, those before it are not throttled
  --rounds=5                    default: 1; results are medians
  --timeout=240                 seconds for a visit
  --output=${DEFAULT_OUTPUT}   without an extension: .json and .md are written
  --frames                      also stores the pictures of each visit, with their times
  --append                      adds to the results in the .json`;

/** @throws Error with the usage, if an argument is unknown */
export function parseCommandLine(args: readonly string[]): BenchOptions {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        models: { type: 'string' },
        networks: { type: 'string' },
        contenders: { type: 'string' },
        visits: { type: 'string', default: 'cold' },
        rounds: { type: 'string', default: '1' },
        timeout: { type: 'string', default: '240' },
        output: { type: 'string', default: DEFAULT_OUTPUT },
        append: { type: 'boolean', default: false },
        frames: { type: 'boolean', default: false },
      },
    });
    const networkNames = NETWORK_PROFILES.map(({ name }) => name);
    const networks = parseNames(values.networks, networkNames, 'network');
    return {
      models: values.models?.split(','),
      networks: NETWORK_PROFILES.filter(({ name }) => networks.includes(name)),
      contenders: parseNames(values.contenders, CONTENDERS, 'contender'),
      visits: parseNames(values.visits, VISITS, 'visit'),
      rounds: parsePositive(values.rounds, 'rounds'),
      output: values.output,
      append: values.append,
      frames: values.frames,
      timeoutMs: parsePositive(values.timeout, 'timeout') * 1000,
    };
  } catch (error) {
    throw new Error(`${(error as Error).message}\n\n${USAGE}`);
  }
}

/** Returns the names in a list, or all; `what` is for the message. @throws Error if one is unknown */
export function parseNames<Name extends string>(
  text: string | undefined,
  known: readonly Name[],
  what: string,
): readonly Name[] {
  if (text === undefined) return known;
  return text.split(',').map((name) => {
    const found = known.find((other) => other === name);
    if (found === undefined) throw new Error(`Unknown ${what}: ${name}.`);
    return found;
  });
}

/** @throws Error unless it is a whole number above 0 */
export function parsePositive(text: string, name: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number.`);
  return value;
}

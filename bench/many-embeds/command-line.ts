import { parseArgs } from 'node:util';
import { parseNames, parsePositive } from '../first-frame/command-line.ts';
import { NETWORK_PROFILES, type NetworkProfile } from '../first-frame/network/profiles.ts';

export type ManyEmbedsOptions = {
  embeds: number;
  models: readonly string[];
  networks: readonly NetworkProfile[];
  rounds: number;
  timeoutMs: number;
};

export const USAGE = `Options, each with names separated by commas:
  --models=Box,LargeStone       default; CLOCHE_BENCH_MODELS adds a folder
  --embeds=16                   of one model on a page; eight of them are in view
  --networks=none,20,1.6        default: none
  --rounds=3                    default: 1; results are medians
  --timeout=240                 seconds for a visit`;

/** @throws Error with the usage, if an argument is unknown */
export function parseCommandLine(args: readonly string[]): ManyEmbedsOptions {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        models: { type: 'string', default: 'Box,LargeStone' },
        embeds: { type: 'string', default: '16' },
        networks: { type: 'string', default: 'none' },
        rounds: { type: 'string', default: '1' },
        timeout: { type: 'string', default: '240' },
      },
    });
    const networkNames = NETWORK_PROFILES.map(({ name }) => name);
    const networks = parseNames(values.networks, networkNames, 'network');
    return {
      models: values.models.split(','),
      embeds: parsePositive(values.embeds, 'embeds'),
      networks: NETWORK_PROFILES.filter(({ name }) => networks.includes(name)),
      rounds: parsePositive(values.rounds, 'rounds'),
      timeoutMs: parsePositive(values.timeout, 'timeout') * 1000,
    };
  } catch (error) {
    throw new Error(`${(error as Error).message}\n\n${USAGE}`);
  }
}

/** Runs all benchmarks. */
import { buildWorkspaces } from '../scripts/build-workspaces.ts';
import { printResults } from './bench-result.ts';
import { benchFirstFrame } from './first-frame/first-frame.ts';
import { benchOptimize } from './optimize/optimize.ts';
import { benchRequests } from './requests.ts';
import { benchTokenCheck } from './token-check.ts';

await buildWorkspaces({ onlyIfChanged: true });
console.log('Ratio to the baseline; above 1 is better.\n');
printResults(await benchRequests());
printResults(await benchTokenCheck());
printResults(await benchFirstFrame());
await benchOptimize();

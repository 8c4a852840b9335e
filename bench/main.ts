/** Runs all benchmarks. */
import { buildWorkspaces } from '../scripts/build-workspaces.ts';
import { printResults } from './bench-result.ts';
import { benchCallLatency, printCallLatencies } from './call-latency.ts';
import { parseCommandLine } from './first-frame/command-line.ts';
import { benchFirstFrame } from './first-frame/first-frame.ts';
import { renderTables } from './first-frame/report.ts';
import { benchLargeArtifact } from './large-artifact.ts';
import { benchOptimize } from './optimize/optimize.ts';
import { benchRequests } from './requests.ts';
import { benchTokenCheck } from './token-check.ts';

await buildWorkspaces({ onlyIfChanged: true });
console.log('Ratio to the baseline; above 1 is better.\n');
printResults(await benchRequests());
printResults(await benchLargeArtifact());
printResults(await benchTokenCheck());
printCallLatencies(await benchCallLatency());
// All models on all networks take an hour: npm run bench:first-frame.
const quick = parseCommandLine(['--models=Box,Stone', '--networks=none,20']);
console.log(renderTables(await benchFirstFrame(quick)));
await benchOptimize();

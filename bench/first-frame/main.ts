/** Runs only the benchmark of the first frame, which takes minutes. */
import { buildWorkspaces } from '../../scripts/build-workspaces.ts';
import { printResults } from '../bench-result.ts';
import { benchFirstFrame } from './first-frame.ts';

await buildWorkspaces({ onlyIfChanged: true });
printResults(await benchFirstFrame());

/** Runs only the benchmark of the first frame, which takes minutes. */
import { buildViewer } from '../../scripts/build-viewer.ts';
import { printResults } from '../bench-result.ts';
import { benchFirstFrame } from './first-frame.ts';

await buildViewer({ onlyIfChanged: true });
printResults(await benchFirstFrame());

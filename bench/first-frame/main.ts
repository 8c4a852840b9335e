import { buildViewer } from '../../scripts/viewer.ts';
import { print } from '../table.ts';
import { benchFirstFrame } from './first-frame.ts';

await buildViewer({ onlyIfChanged: true });
print(await benchFirstFrame());

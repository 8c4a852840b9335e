import { buildViewer } from '../scripts/viewer.ts';
import { benchFirstFrame } from './first-frame/first-frame.ts';
import { benchOptimize } from './optimize/optimize.ts';
import { benchRequests } from './requests.ts';
import { print } from './table.ts';
import { benchTokenCheck } from './token-check.ts';

await buildViewer({ onlyIfChanged: true });
console.log('Ours over the other, from one run; higher is better.\n');
print(await benchRequests());
print(await benchTokenCheck());
print(await benchFirstFrame());
await benchOptimize();

/** Builds viewer/dist and reports its sizes. */
import { join } from 'node:path';
import { reportSizes } from './build/size-report.ts';
import { writeDist } from './build/write-dist.ts';

const dist = join(import.meta.dirname, 'dist');
const scripts = await writeDist(dist);
console.log(await reportSizes(dist, scripts));

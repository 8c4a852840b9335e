import { SERVICE_ARGUMENTS } from '../scripts/service-process.ts';
import { waitUntil } from '../scripts/wait-until.ts';
import type { ServiceProcess } from './service-process.ts';

/** Arguments of Node with which the service collects garbage on a signal, and prints what is left. */
export const REPORT_MEMORY_ARGUMENTS = [
  '--expose-gc',
  '--import',
  `data:text/javascript,${encodeURIComponent(`
    process.on('SIGUSR2', () => {
      gc();
      const { heapUsed, external } = process.memoryUsage();
      console.log('retained bytes: ' + (heapUsed + external) + ';');
    });`)}`,
  ...SERVICE_ARGUMENTS,
];

/** Collects garbage in the service. Returns the bytes that JavaScript objects and their buffers still use. */
export async function readRetainedBytes(service: ServiceProcess): Promise<number> {
  const start = service.output.length;
  process.kill(service.pid, 'SIGUSR2');
  const findReport = async () => /retained bytes: (\d+);/.exec(service.output.slice(start))?.[1];
  return Number(await waitUntil(() => 'the report of the memory', findReport));
}

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkerReport } from '../../worker-report.ts';
import type { WorkerJob } from '../worker-protocol.ts';
import { reportToParent } from './parent-channel.ts';
import { runJob } from './run-job.ts';
import { createStepTimer } from './step-timer.ts';

const MAX_WARNINGS = 200;

await runJob(async (directory) => {
  const job = JSON.parse(await readFile(join(directory, 'job.json'), 'utf8')) as WorkerJob;
  const { reportProgress, finish } = createStepTimer(reportToParent);

  reportProgress('read', 0);
  // Imported within the job, so that loading counts as progress and a failure to load is reported.
  const { importModel } = await import('../../formats/import-model.ts');
  const imported = await importModel(join(directory, 'source'), job.detectedFormat);
  const { optimize } = await import('../../optimize/optimize.ts');
  const optimized = await optimize(imported.document, job.options, reportProgress);

  reportProgress('write', 99);
  const outDirectory = join(directory, 'out');
  await writeFile(join(outDirectory, 'model.glb'), optimized.model);
  if (optimized.preview) await writeFile(join(outDirectory, 'preview.glb'), optimized.preview);
  const warnings = [...imported.warnings, ...optimized.warnings].slice(0, MAX_WARNINGS);
  const { before, bounds } = optimized;
  const report: WorkerReport = { before, ...(bounds && { bounds }), steps: finish(), warnings };
  await writeFile(join(outDirectory, 'report.json'), JSON.stringify(report));
});

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkerJob } from '../worker-protocol.ts';
import type { WorkerReport } from '../worker-report.ts';
import { reportToParent } from './parent-channel.ts';
import { runJob } from './run-job.ts';
import { createStepTimer } from './step-timer.ts';

const MAX_WARNINGS = 200;

await runJob(async (folder) => {
  const task = JSON.parse(await readFile(join(folder, 'task.json'), 'utf8')) as WorkerJob;
  const { tell, finish } = createStepTimer(reportToParent);

  tell('read', 0);
  // Loaded within the job, so that its progress shows it and a failure to load is told.
  const { importModel } = await import('../../formats/import-model.ts');
  const imported = await importModel(join(folder, 'in'), task.detectedFormat);
  const { optimize } = await import('../../optimize/optimize.ts');
  const made = await optimize(imported.document, task.options, tell);

  tell('write', 99);
  const out = join(folder, 'out');
  await writeFile(join(out, 'model.glb'), made.model);
  if (made.preview) await writeFile(join(out, 'preview.glb'), made.preview);
  const warnings = [...imported.warnings, ...made.warnings].slice(0, MAX_WARNINGS);
  const report: WorkerReport = { before: made.before, steps: finish(), warnings };
  await writeFile(join(out, 'report.json'), JSON.stringify(report));
});

import { readFile } from 'node:fs/promises';
import { toGeometryFile, toTexturePackFile } from '../../level-files.ts';
import type { OptimizeResult } from '../../optimize/optimize.ts';
import type { WorkerReport } from '../../worker-report.ts';
import type { WorkerJob } from '../worker-protocol.ts';
import { reportToParent } from './parent-channel.ts';
import { runJob } from './run-job.ts';
import { sendResult } from './send-result.ts';
import { createStepTimer } from './step-timer.ts';

const MAX_WARNINGS = 200;

// Relative paths: another user than that of the service cannot enter the directories above.
await runJob(async () => {
  const job = JSON.parse(await readFile('job.json', 'utf8')) as WorkerJob;
  const { reportProgress, finish } = createStepTimer(reportToParent);

  reportProgress('read', 0);
  // Imported within the job, so that loading counts as progress and a failure to load is reported.
  const { importModel } = await import('../../formats/import-model.ts');
  const imported = await importModel('source', job.detectedFormat);
  const { optimize } = await import('../../optimize/optimize.ts');
  let isPreviewSent = false as boolean;
  const optimized = await optimize(imported.document, job.options, reportProgress, (preview) => {
    sendResult('preview.glb', preview);
    isPreviewSent = true;
  });

  reportProgress('write', 99);
  sendResult('model.glb', optimized.model);
  if (optimized.preview && !isPreviewSent) sendResult('preview.glb', optimized.preview);
  const levels = optimized.levels && sendLevels(optimized.levels);
  const warnings = [...imported.warnings, ...optimized.warnings].slice(0, MAX_WARNINGS);
  const { before, bounds } = optimized;
  const report: WorkerReport = {
    before,
    ...(bounds && { bounds }),
    ...(levels && { levels }),
    ...(isPreviewSent && !optimized.preview && { previewUnused: true }),
    steps: finish(),
    warnings,
  };
  sendResult('report.json', JSON.stringify(report));
});

function sendLevels({
  geometries,
  textures,
  uvPerMeter,
}: NonNullable<OptimizeResult['levels']>): NonNullable<WorkerReport['levels']> {
  for (const [index, { glb }] of geometries.entries()) sendResult(toGeometryFile(index), glb);
  for (const { size, pack } of textures) sendResult(toTexturePackFile(size), pack);
  const texturePacks = textures.map(({ pack: _, ...description }) => description);
  return {
    geometries: geometries.map(({ glb: _, ...description }) => description),
    texturePacks,
    ...(uvPerMeter && { uvPerMeter }),
  };
}

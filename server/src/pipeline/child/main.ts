import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Told } from '../sandbox/report.ts';
import type { Task } from '../sandbox/task.ts';
import { answer } from './answer.ts';
import { tellParent } from './line.ts';
import { timeSteps } from './steps.ts';

const MAX_WARNINGS = 200;

await answer(async (folder) => {
  const task = JSON.parse(await readFile(join(folder, 'task.json'), 'utf8')) as Task;
  const { tell, finish } = timeSteps(tellParent);

  tell('read', 0);
  // Loaded within the job, so that its progress shows it and a failure to load is told.
  const { importModel } = await import('../import/import.ts');
  const imported = await importModel(join(folder, 'in'), task.examined);
  const { optimize } = await import('../optimize/optimize.ts');
  const made = await optimize(imported.document, task.options, tell);

  tell('write', 99);
  const out = join(folder, 'out');
  await writeFile(join(out, 'model.glb'), made.model);
  if (made.preview) await writeFile(join(out, 'preview.glb'), made.preview);
  const warnings = [...imported.warnings, ...made.warnings].slice(0, MAX_WARNINGS);
  const report: Told = { before: made.before, steps: finish(), warnings };
  await writeFile(join(out, 'report.json'), JSON.stringify(report));
});

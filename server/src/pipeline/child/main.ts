import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tell } from '../report.ts';
import type { Refusal, Told } from '../sandbox/report.ts';
import { asProblem } from './failure.ts';
import { followParent, tellParent } from './line.ts';
import type { Task } from './task.ts';

/** As `sandbox/outcome.ts` knows it. */
const REFUSED = 2;

const folder = process.cwd();
const out = join(folder, 'out');

followParent();
try {
  await work();
  process.exit(0);
} catch (error) {
  const problem = asProblem(error);
  if (problem === undefined) throw error;
  console.error(problem.cause ?? problem);
  const refusal: Refusal = { code: problem.code, detail: problem.message.slice(0, 2000) };
  await writeFile(join(out, 'failure.json'), JSON.stringify(refusal));
  process.exit(REFUSED);
}

async function work(): Promise<void> {
  const task = JSON.parse(readFileSync(join(folder, 'task.json'), 'utf8')) as Task;
  const { tell, finish } = timeSteps();

  tell('read', 0);
  // Loaded when needed: the parsers and encoders take longer to load than a small job takes.
  const { importModel } = await import('../import/import.ts');
  const imported = await importModel(join(folder, 'in'), task.examined);
  const { optimize } = await import('../optimize/optimize.ts');
  const made = await optimize(imported.document, task.options, tell);

  tell('write', 99);
  await writeFile(join(out, 'model.glb'), made.model);
  if (made.preview) await writeFile(join(out, 'preview.glb'), made.preview);
  const report: Told = {
    before: made.before,
    steps: finish(),
    warnings: [...imported.warnings, ...made.warnings].slice(0, 200),
  };
  await writeFile(join(out, 'report.json'), JSON.stringify(report));
}

/** Notes how long each step took, from its first word to the next step's. */
function timeSteps(): { tell: Tell; finish(): Told['steps'] } {
  const steps: Told['steps'] = [];
  let started = performance.now();
  const close = () => {
    const last = steps.at(-1);
    const now = performance.now();
    if (last) last.ms += Math.round(now - started);
    started = now;
  };
  const tell: Tell = (step, percent) => {
    close();
    if (steps.at(-1)?.name !== step) steps.push({ name: step, ms: 0 });
    tellParent(step, percent);
  };
  const finish = () => {
    close();
    return steps;
  };
  return { tell, finish };
}

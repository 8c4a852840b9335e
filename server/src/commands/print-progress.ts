import type { CommandOutput } from './command.ts';

const MIN_INTERVAL_MS = 100;
const BAR_WIDTH = 24;

/** Returns a function that shows how far a command is: as a bar in a terminal, else a line for each tenth. */
export function createProgressPrinter(
  output: CommandOutput,
): (step: string, done: number, total: number) => void {
  let lastStep = '';
  let lastTenth = -1;
  let lastTime = 0;
  return (step, done, total) => {
    const isEnd = done >= total;
    const tenth = total === 0 ? 10 : Math.floor((done * 10) / total);
    if (output.rewrite !== undefined) {
      const time = Date.now();
      if (!isEnd && step === lastStep && time - lastTime < MIN_INTERVAL_MS) return;
      lastTime = time;
      output.rewrite(toBar(step, done, total));
      if (isEnd) output.note('');
    } else if (step !== lastStep || tenth > lastTenth) {
      output.note(`${done} of ${total} ${step}`);
    }
    lastStep = step;
    lastTenth = tenth;
  };
}

function toBar(step: string, done: number, total: number): string {
  const filled =
    total === 0 ? BAR_WIDTH : Math.min(BAR_WIDTH, Math.floor((done * BAR_WIDTH) / total));
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${done} of ${total} ${step}`;
}

import { mkdir, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Workshop } from './app.ts';
import type { Config } from './config.ts';
import type { LogSink } from './http/log.ts';
import { openExaminer } from './pipeline/preflight/examiner.ts';
import { openSandbox } from './pipeline/sandbox.ts';

/** Uploads that may wait for their turn; more are refused for a while. */
const QUEUE = 1000;

/** Opens the place where models are made of uploads. What a crash left there is thrown away. */
export async function openWorkshop(
  { dataFolder }: Config,
  sink: LogSink,
): Promise<Workshop & AsyncDisposable> {
  const folder = join(dataFolder, 'work');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const examiner = openExaminer();
  return {
    examiner,
    maker: await openSandbox({
      log: { warn: (facts: object, msg: string) => sink.write(line(facts, msg)) },
    }),
    folder,
    concurrency: Math.max(1, availableParallelism() - 1),
    queue: QUEUE,
    [Symbol.asyncDispose]: () => examiner[Symbol.asyncDispose](),
  };
}

const line = (facts: object, msg: string) =>
  `${JSON.stringify({ level: 'warn', time: new Date(), ...facts, msg })}\n`;

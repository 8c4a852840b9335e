/**
 * Measures what a visitor sees of an embed, of Cloche and of other viewers, with the same file, network
 * and browser.
 *
 * - Cloche is the running service: the files are uploaded to it, and the iframe is that of its HTML.
 * - In front of it, and of the pages of the other viewers, is one server with TLS and HTTP/2.
 * - In front of that server, a link with a rate, a delay and TCP's slow start is shared by all connections.
 * - The frames that the browser displays are compared with the last one of the same load.
 *
 * The browser has an empty profile on the disk for each round, and has used WebGL before.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BenchBrowser } from './browser.ts';
import { combineVisits } from './combine-visits.ts';
import type { BenchOptions } from './command-line.ts';
import { type Contender, openContenders } from './contenders.ts';
import { type BenchEnvironment, openBenchEnvironment } from './environment.ts';
import { type NetworkProfile, UNTHROTTLED } from './network/profiles.ts';
import { repeatEmptyVisits } from './repeat-empty-visits.ts';
import { renderTables } from './report.ts';
import { createResults, type Results, readResults, type Sample, writeResults } from './results.ts';
import { hasTextures, listSourceModels, type SourceModel } from './source-models.ts';
import { measureVisit, type Visit } from './visit.ts';

/** Measures, and stores the results after each measurement. */
export async function benchFirstFrame(options: BenchOptions): Promise<Results> {
  const models = await chooseModels(options.models);
  await using resources = new AsyncDisposableStack();
  const environment = await openBenchEnvironment(resources);
  const contenders = await openContenders({ ...environment, names: options.contenders });
  return await new Bench(options, environment).run(models, contenders);
}

/** Finds models by their names; without names, all. @throws Error if one is unknown */
export async function chooseModels(names: readonly string[] | undefined): Promise<SourceModel[]> {
  const models = await listSourceModels();
  if (names === undefined) return models;
  return names.map((name) => {
    const model = models.find((other) => other.name === name);
    if (model !== undefined) return model;
    const known = models.map(({ name }) => name).join(', ');
    throw new Error(`Unknown model ${name}. Known: ${known}. CLOCHE_BENCH_MODELS adds a folder.`);
  });
}

type BenchDependencies = Pick<BenchEnvironment, 'network' | 'pageUrl' | 'certificate'>;
type Target = { contender: Contender; frameUrl: string; profile: NetworkProfile };

type LabeledTarget = Target & { css: string; label: string };

type MeasuredVisits = Partial<Record<'cold' | 'warm', Visit>>;

/** Runs the measurements, one after another. */
class Bench {
  readonly #options: BenchOptions;
  readonly #dependencies: BenchDependencies;

  constructor(options: BenchOptions, dependencies: BenchDependencies) {
    this.#options = options;
    this.#dependencies = dependencies;
  }

  async run(models: readonly SourceModel[], contenders: readonly Contender[]): Promise<Results> {
    const results = await this.#openResults();
    for (const { name, version } of contenders) results.versions[name] = version;
    for (const model of models) {
      const targets = await this.#publish(model, contenders, results);
      const failed = new Set<string>();
      for (const step of this.#listSteps(targets)) {
        // A load that failed or took too long does so again.
        const key = `${step.contender.name} ${step.profile.name}`;
        if (failed.has(key)) continue;
        const samples = await this.#measure(model, step);
        if (samples.some(({ error }) => error !== undefined)) failed.add(key);
        results.samples.push(...samples);
        await writeResults(this.#options.output, results);
      }
    }
    await writeFile(`${this.#options.output}.md`, renderTables(results));
    return results;
  }

  async #openResults(): Promise<Results> {
    const { output, append } = this.#options;
    await mkdir(dirname(output), { recursive: true });
    if (append) return readResults(output);
    await using probe = await BenchBrowser.launch(this.#dependencies.certificate);
    return createResults(`Chromium ${probe.context.browser()?.version() ?? ''}`);
  }

  /** Returns the page of each contender that can show the model. */
  async #publish(model: SourceModel, contenders: readonly Contender[], results: Results) {
    const file = await model.read();
    const { name, detail } = model;
    const entry = { name, bytes: file.byteLength, detail, textured: hasTextures(file) };
    // It may have been measured before: it stays where it is in the tables.
    const index = results.models.findIndex((measured) => measured.name === name);
    if (index < 0) results.models.push(entry);
    else results.models[index] = entry;
    const targets: Pick<Target, 'contender' | 'frameUrl'>[] = [];
    for (const contender of contenders) {
      const frameUrl = await contender.publish(model, file);
      if (frameUrl !== undefined) targets.push({ contender, frameUrl });
    }
    return targets;
  }

  /** In each round, every contender has its turn. */
  *#listSteps(targets: readonly Pick<Target, 'contender' | 'frameUrl'>[]) {
    const { networks, rounds } = this.#options;
    for (const profile of networks) {
      for (let round = 0; round < rounds; round++) {
        for (const target of targets) yield { ...target, profile };
      }
    }
  }

  async #measure(model: SourceModel, target: Target): Promise<Sample[]> {
    const { contender, profile } = target;
    const key = { model: model.name, network: profile.name, contender: contender.name };
    const samples: Sample[] = [];
    try {
      const label = Object.values(key).join('-');
      const visits = await this.#retryVisits({ ...target, label, css: contender.css });
      const { canvasCss } = contender;
      const canvasVisits =
        canvasCss === undefined
          ? visits
          : await this.#retryVisits({ ...target, label: `${label}-canvas`, css: canvasCss });
      for (const visit of this.#options.visits) {
        samples.push({
          ...key,
          visit,
          ...combineVisits(visits[visit] as Visit, canvasVisits[visit] as Visit),
        });
      }
    } catch (error) {
      samples.push({ ...key, visit: 'cold', error: describeError(error) });
    }
    for (const sample of samples) printSample(sample);
    return samples;
  }

  #retryVisits(target: LabeledTarget): Promise<MeasuredVisits> {
    return repeatEmptyVisits(target.label, () => this.#measureVisits(target));
  }

  /**
   * Measures the first visit with an empty profile and, if wanted, the third one. If only that is, the visits before are not throttled: they
   * leave the same files in the cache.
   */
  async #measureVisits({ frameUrl, profile, css, label }: LabeledTarget): Promise<MeasuredVisits> {
    const { network, pageUrl, certificate } = this.#dependencies;
    const { visits, timeoutMs, output, frames } = this.#options;
    await using browser = await BenchBrowser.launch(certificate);
    const emptyBytes = await browser.warmUp(pageUrl);
    const firstProfile = visits.includes('cold') ? profile : UNTHROTTLED;
    const visit = async (name: string, profile: NetworkProfile) => {
      const framesFolder = frames ? join(`${output}-frames`, `${label}-${name}`) : undefined;
      const load = { browser, network, profile, pageUrl, frameUrl, css, timeoutMs, framesFolder };
      const measured: Visit & { addedMemoryBytes?: number } = await measureVisit(load);
      if (emptyBytes !== undefined && measured.memoryBytes !== undefined)
        measured.addedMemoryBytes = measured.memoryBytes - emptyBytes;
      return measured;
    };
    const measured: MeasuredVisits = { cold: await visit('cold', firstProfile) };
    if (visits.includes('warm')) {
      await visit('second', firstProfile);
      measured.warm = await visit('warm', profile);
    }
    return measured;
  }
}

/** If closing a crashed browser fails too, the first error is the cause. */
function describeError(error: unknown): string {
  const cause = error instanceof SuppressedError ? error.suppressed : error;
  return (cause as Error).message.split('\n')[0] ?? '';
}

function printSample(sample: Sample): void {
  const { model, network, contender, visit, error } = sample;
  const { usefulMs, recognizableMs, first3dMs, fullMs, blockingMs, addedMemoryBytes = 0 } = sample;
  const { usefulBytes = 0, fullBytes = 0, canvasFullMs } = sample;
  const kilobytes = [usefulBytes, fullBytes].map((bytes) => Math.round(bytes / 1000)).join('/');
  const label = `${model}, ${network}, ${visit}, ${contender}`.padEnd(48);
  console.log(
    error !== undefined
      ? `${label} ${error}`
      : `${label} poster ${recognizableMs}  useful ${usefulMs}  3D ${first3dMs}  full ${[fullMs, canvasFullMs].filter(Boolean).join('/')} ms  ${kilobytes} kB  blocking ${blockingMs} ms  +${Math.round(addedMemoryBytes / 2 ** 20)} MiB`,
  );
}

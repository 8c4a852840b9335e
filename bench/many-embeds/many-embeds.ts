/**
 * Compares a page with many embeds of one model, in an iframe each, with a page that has as many elements of
 * model-viewer. The service, network, browser and pictures are those of bench/first-frame.
 *
 * The elements of model-viewer are in one iframe, so that both start on an open page with one measurement.
 */
import { BenchBrowser } from '../first-frame/browser.ts';
import { type Contender, createCloche } from '../first-frame/contenders.ts';
import { type BenchEnvironment, openBenchEnvironment } from '../first-frame/environment.ts';
import { chooseModels } from '../first-frame/first-frame.ts';
import type { NetworkProfile } from '../first-frame/network/profiles.ts';
import { buildPeer, installPeers, PEERS, publishModel } from '../first-frame/peers.ts';
import { hasTextures, type SourceModel } from '../first-frame/source-models.ts';
import type { ManyEmbedsOptions } from './command-line.ts';
import type { GridResult, GridSample } from './goals.ts';
import { measureGridVisit } from './grid-visit.ts';
import { CELL, getPageHeight, repeatModelViewer, VIEWPORT } from './page-grid.ts';

type Bench = BenchEnvironment & {
  options: ManyEmbedsOptions;
  cloche: Contender;
  /** Writes the page of model-viewer for a model, and returns its URL. */
  publishModelViewer: (model: SourceModel, file: Uint8Array) => Promise<string>;
};

/** Measures each model on each network, and yields the result. */
export async function* benchManyEmbeds(options: ManyEmbedsOptions): AsyncGenerator<GridResult> {
  const models = await chooseModels(options.models);
  await using resources = new AsyncDisposableStack();
  const environment = await openBenchEnvironment(resources);
  const bench: Bench = {
    ...environment,
    options,
    cloche: createCloche(environment.service),
    publishModelViewer: await openModelViewer(environment, options.embeds),
  };
  for (const model of models) yield* measureModel(bench, model);
}

async function openModelViewer({ filesFolder, network }: BenchEnvironment, embeds: number) {
  await installPeers();
  const peer = PEERS.find(({ name }) => name === 'model-viewer');
  if (peer === undefined) throw new Error('model-viewer is not among the other viewers.');
  const writePage = await buildPeer(peer, filesFolder, (html) => repeatModelViewer(html, embeds));
  return async (model: SourceModel, file: Uint8Array) => {
    if (!peer.extensions.includes(model.extension))
      throw new Error(`model-viewer cannot open ${model.name}${model.extension}.`);
    const path = await writePage(await publishModel({ ...model, file }, filesFolder));
    return `https://peers.test:${network.sitePort}${path}`;
  };
}

async function* measureModel(bench: Bench, model: SourceModel): AsyncGenerator<GridResult> {
  const { embeds, networks, rounds } = bench.options;
  const file = await model.read();
  const modelViewerUrl = await bench.publishModelViewer(model, file);
  const embedUrl = await bench.cloche.publish(model, file);
  if (embedUrl === undefined) throw new Error(`${model.name} was not published.`);
  for (const profile of networks) {
    const [cloche, modelViewer]: GridSample[][] = [[], []];
    for (let round = 0; round < rounds; round++) {
      cloche?.push(await measureCloche(bench, embedUrl, profile));
      modelViewer?.push(await measureModelViewer(bench, modelViewerUrl, profile));
    }
    yield {
      label: `${embeds} × ${model.name}, ${profile.label}`,
      model: { bytes: file.byteLength, textured: hasTextures(file) },
      cloche: cloche ?? [],
      modelViewer: modelViewer ?? [],
    };
  }
}

/** The poster may equal the final picture, so an embed is full when the canvas of a second load is too. */
async function measureCloche(bench: Bench, frameUrl: string, profile: NetworkProfile) {
  const { css, canvasCss } = bench.cloche;
  const frames = { frameUrl, frameCount: bench.options.embeds, frameSize: CELL };
  const sample = await measure(bench, { ...frames, profile, css });
  const canvasSample = await measure(bench, { ...frames, profile, css: canvasCss ?? css });
  return { ...sample, fullMs: Math.max(sample.fullMs, canvasSample.fullMs) };
}

function measureModelViewer(bench: Bench, frameUrl: string, profile: NetworkProfile) {
  const frameSize = { width: VIEWPORT.width, height: getPageHeight(bench.options.embeds) };
  return measure(bench, { frameUrl, frameCount: 1, frameSize, profile, css: '' });
}

/** Measures a first visit, with an empty profile. */
async function measure(
  { options: { embeds, timeoutMs }, network, pageUrl, certificate }: Bench,
  load: Pick<
    Parameters<typeof measureGridVisit>[0],
    'frameUrl' | 'frameCount' | 'frameSize' | 'profile' | 'css'
  >,
): Promise<GridSample> {
  await using browser = await BenchBrowser.launch(certificate, VIEWPORT);
  const emptyBytes = await browser.warmUp(pageUrl);
  const visit = { ...load, browser, network, pageUrl, embeds, timeoutMs };
  const { fullMs, memoryBytes } = await measureGridVisit(visit);
  const isMeasured = memoryBytes !== undefined && emptyBytes !== undefined;
  return { fullMs, addedMemoryBytes: isMeasured ? memoryBytes - emptyBytes : undefined };
}

/**
 * Compares a page with many embeds of one model, in an iframe each, with two pages of model-viewer: one that has as many
 * iframes, and one that has as many elements. The service, network, browser and pictures are those of bench/first-frame.
 *
 * The elements are in one iframe, so that all start on an open page with one measurement.
 */
import { BenchBrowser } from '../first-frame/browser.ts';
import { type Contender, createCloche } from '../first-frame/contenders.ts';
import { type BenchEnvironment, openBenchEnvironment } from '../first-frame/environment.ts';
import { chooseModels } from '../first-frame/first-frame.ts';
import type { NetworkProfile } from '../first-frame/network/profiles.ts';
import { buildPeer, installPeers, PEERS, publishModel } from '../first-frame/peers.ts';
import { repeatEmptyVisits } from '../first-frame/repeat-empty-visits.ts';
import { hasTextures, type SourceModel } from '../first-frame/source-models.ts';
import type { ManyEmbedsOptions } from './command-line.ts';
import type { GridResult, GridSample } from './goals.ts';
import { measureGridVisit } from './grid-visit.ts';
import { CELL, getPageHeight, repeatModelViewer, VIEWPORT } from './page-grid.ts';

type Bench = BenchEnvironment & {
  options: ManyEmbedsOptions;
  cloche: Contender;
  /** Writes the pages of model-viewer for a model. */
  publishModelViewer: (model: SourceModel, file: Uint8Array) => Promise<ModelViewerUrls>;
};

/** A page with one element, and one with as many as there are embeds. */
type ModelViewerUrls = { embed: string; elements: string };

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
  const writeEmbed = await buildPeer(peer, filesFolder);
  const repeat = (html: string) => repeatModelViewer(html, embeds);
  const writeElements = await buildPeer(peer, filesFolder, repeat, '-elements');
  return async (model: SourceModel, file: Uint8Array) => {
    if (!peer.extensions.includes(model.extension))
      throw new Error(`model-viewer cannot open ${model.name}${model.extension}.`);
    const path = await publishModel({ ...model, file }, filesFolder);
    const origin = `https://peers.test:${network.sitePort}`;
    return {
      embed: origin + (await writeEmbed(path)),
      elements: origin + (await writeElements(path)),
    };
  };
}

async function* measureModel(bench: Bench, model: SourceModel): AsyncGenerator<GridResult> {
  const { embeds, networks, rounds } = bench.options;
  const file = await model.read();
  const modelViewerUrls = await bench.publishModelViewer(model, file);
  const embedUrl = await bench.cloche.publish(model, file);
  if (embedUrl === undefined) throw new Error(`${model.name} was not published.`);
  for (const profile of networks) {
    const samples = {
      cloche: [] as GridSample[],
      modelViewer: [] as GridSample[],
      modelViewerElements: [] as GridSample[],
    };
    for (let round = 0; round < rounds; round++) {
      samples.cloche.push(await measureCloche(bench, embedUrl, profile));
      samples.modelViewer.push(await measureEmbeds(bench, modelViewerUrls.embed, profile));
      const elements = await measureElements(bench, modelViewerUrls.elements, profile);
      samples.modelViewerElements.push(elements);
    }
    yield {
      label: `${embeds} × ${model.name}, ${profile.label}`,
      model: { bytes: file.byteLength, textured: hasTextures(file) },
      ...samples,
    };
  }
}

/** The poster may equal the final picture, so an embed is full when the canvas of a second load is too. */
async function measureCloche(bench: Bench, frameUrl: string, profile: NetworkProfile) {
  const { css, canvasCss } = bench.cloche;
  const sample = await measureEmbeds(bench, frameUrl, profile, css);
  const canvasSample = await measureEmbeds(bench, frameUrl, profile, canvasCss);
  return { ...sample, fullMs: Math.max(sample.fullMs, canvasSample.fullMs) };
}

function measureEmbeds(bench: Bench, frameUrl: string, profile: NetworkProfile, css = '') {
  const frames = { frameUrl, frameCount: bench.options.embeds, frameSize: CELL };
  return measure(bench, { ...frames, profile, css });
}

function measureElements(bench: Bench, frameUrl: string, profile: NetworkProfile) {
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
  return repeatEmptyVisits(load.frameUrl, async () => {
    await using browser = await BenchBrowser.launch(certificate, VIEWPORT);
    const emptyBytes = await browser.warmUp(pageUrl);
    const visit = { ...load, browser, network, pageUrl, embeds, timeoutMs };
    const { fullMs, memoryBytes } = await measureGridVisit(visit);
    const isMeasured = memoryBytes !== undefined && emptyBytes !== undefined;
    return { fullMs, addedMemoryBytes: isMeasured ? memoryBytes - emptyBytes : undefined };
  });
}

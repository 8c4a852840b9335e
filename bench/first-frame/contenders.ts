import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CLOCHE } from './command-line.ts';
import type { Network } from './network/network.ts';
import { buildPeer, installPeers, PEERS, publishModel, readPeerVersion } from './peers.ts';
import type { BenchService } from './service.ts';
import type { SourceModel } from './source-models.ts';

/** A viewer that is measured. */
export type Contender = {
  name: string;
  version: string;
  /** CSS for its page. Controls are not part of the picture. */
  css: string;
  /** CSS that shows the canvas alone, if something else shows the model before it. */
  canvasCss: string | undefined;
  /** Returns the URL of the page that shows a model; undefined if the viewer cannot open it. */
  publish: (model: SourceModel, file: Uint8Array) => Promise<string | undefined>;
};

const CONTROLS_CSS = '#toolbar,#hint,#progress{visibility:hidden!important}';
const CANVAS_CSS =
  '*{background-image:none!important}body *{visibility:hidden!important}html:not([data-cached]) #view{opacity:1!important}#view canvas{visibility:visible!important;opacity:1!important}';

export type ContenderDependencies = {
  names: readonly string[];
  service: BenchService;
  network: Network;
  filesFolder: string;
};

/** Prepares the contenders: Cloche by uploads to the service, the others by pages on another host. */
export async function openContenders({
  names,
  service,
  network,
  filesFolder,
}: ContenderDependencies): Promise<Contender[]> {
  const contenders: Contender[] = [];
  if (names.includes(CLOCHE)) contenders.push(createCloche(service));
  const peers = PEERS.filter(({ name }) => names.includes(name));
  if (peers.length > 0) await installPeers();
  for (const peer of peers) {
    const writePage = await buildPeer(peer, filesFolder);
    contenders.push({
      name: peer.name,
      version: await readPeerVersion(peer),
      css: '',
      canvasCss: undefined,
      async publish(model, file) {
        if (!peer.extensions.includes(model.extension)) return undefined;
        const path = await writePage(await publishModel({ ...model, file }, filesFolder));
        return `https://peers.test:${network.sitePort}${path}`;
      },
    });
  }
  return contenders;
}

/** Cloche, by uploads to the service. */
export function createCloche(service: BenchService): Contender {
  return {
    name: CLOCHE,
    version: 'this commit',
    css: CONTROLS_CSS,
    canvasCss: CONTROLS_CSS + CANVAS_CSS,
    async publish({ name }, file) {
      const { embedUrl, processingMs } = await service.upload(name, file);
      console.log(`${name}: processed in ${processingMs} ms`);
      return embedUrl;
    },
  };
}

/** Writes the page that gets the iframe. */
export async function writeHostPage(filesFolder: string): Promise<void> {
  const html =
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>A shop</title><link rel="icon" href="data:,"><style>body{margin:0}iframe{display:block;border:0}</style><body></body></html>';
  await writeFile(join(filesFolder, 'page.html'), html);
}

import type { Framed } from '@cloche/contract/framed';
import type { Attendant } from './attend.ts';
import { download } from './download.ts';
import { enter, type Player, rehearse, takeOver } from './entrance.ts';
import { hideFailure, showFailure, showShortfall } from './failure.ts';
import { makeLight } from './light.ts';
import { type Opening, requestAsset, requestFirst } from './opening.ts';
import { Progress } from './progress.ts';
import { Stage } from './stage.ts';

const canvas = document.querySelector('#view canvas') as HTMLCanvasElement;
const progress = new Progress(document.getElementById('progress') as HTMLProgressElement);

let stage: Stage | undefined;

const opening = globalThis.clocheOpening;
globalThis.clocheOpening = undefined;
// Without an opening the boot script has refused, and said so.
if (opening !== undefined) await open(opening);

async function open({ framed, response }: Opening): Promise<void> {
  try {
    stage ??= new Stage(canvas, makeLight());
    if (framed.preview === undefined || framed.still) await showModel(stage, framed, response);
    else await showBoth(stage, framed, response);
  } catch (error) {
    showFailure(document, { framed, error }, () => {
      hideFailure(document, 'loading');
      progress.wait();
      void open({ framed, response: requestFirst(framed) });
    });
  }
}

async function showModel(on: Stage, framed: Framed, asked: Promise<Response>): Promise<void> {
  const player = await rehearse(await fetchModel(framed, asked), on, framed);
  enter(player, on, document);
  if (framed.still) {
    const { holdStill } = await import('./still.ts');
    await holdStill(document, on, player.model);
    setState('ready');
    return;
  }
  setState('ready');
  (await attend(on, player))?.take(player.model);
}

/** The preview first, then the model. A preview that fails is no failure. */
async function showBoth(on: Stage, framed: Framed, asked: Promise<Response>): Promise<void> {
  const bytes = framed.preview?.bytes ?? 0;
  const file = await download(asked, bytes, () => {}).catch(() => undefined);
  // Only now: beside preview and scripts it would hold both up.
  const model = requestAsset(framed.model.url, framed.grant);
  const preview = file && (await rehearse(file, on, framed).catch(() => undefined));
  if (preview === undefined) return showModel(on, framed, model);
  enter(preview, on, document);
  setState('preview');
  await complete({ on, framed, preview, attending: attend(on, preview) }, model);
}

type Half = {
  on: Stage;
  framed: Framed;
  preview: Player;
  attending: Promise<Attendant | undefined>;
};

/** The model takes over from the preview. Until then, and if it fails, the preview stays. */
async function complete(half: Half, asked: Promise<Response>): Promise<void> {
  const { on, framed, preview, attending } = half;
  try {
    const player = await rehearse(await fetchModel(framed, asked), on, framed);
    const attendant = await attending;
    const alike = await takeOver(player, preview, { stage: on, page: document });
    if (!alike) attendant?.goHome();
    attendant?.take(player.model);
    performance.mark('cloche-model-frame');
    setState('ready');
  } catch (error) {
    progress.end();
    showShortfall(document, error, () => {
      void complete(half, requestAsset(framed.model.url, framed.grant));
    });
  }
}

async function fetchModel(framed: Framed, asked: Promise<Response>): Promise<ArrayBuffer> {
  const file = await download(asked, framed.model.bytes, (share) => progress.tell(share));
  progress.wait();
  return file;
}

/** Should this script not come, a picture without buttons is better than words. */
async function attend(on: Stage, { model }: Player): Promise<Attendant | undefined> {
  const attending = await import('./attend.ts').catch(() => undefined);
  const attendant = attending?.attend({ page: document, stage: on, model });
  // The shadow is there now: the poster had it, too.
  document.documentElement.dataset.seen = '';
  return attendant;
}

function setState(state: 'preview' | 'ready'): void {
  document.documentElement.dataset.state = state;
}

import { download } from './download.ts';
import { hideFailure, showFailure } from './failure.ts';
import { tameLamps } from './lamps.ts';
import { makeLight } from './light.ts';
import { readModel } from './model.ts';
import { type Opening, requestModel } from './opening.ts';
import { measure } from './outline.ts';
import { Progress } from './progress.ts';
import { Stage } from './stage.ts';

const canvas = document.querySelector('canvas') as HTMLCanvasElement;
const progress = new Progress(document.getElementById('progress') as HTMLProgressElement);

let stage: Stage | undefined;

const opening = globalThis.clocheOpening;
globalThis.clocheOpening = undefined;
// Without an opening the boot script has refused, and said so.
if (opening !== undefined) await open(opening);

async function open({ framed, response }: Opening): Promise<void> {
  try {
    stage ??= new Stage(canvas, makeLight());
    const file = await download(response, framed.model.bytes, (share) => progress.tell(share));
    progress.wait();

    const model = await readModel(file, stage.renderer);
    const outline = measure(model.root);
    tameLamps(model.root, outline);
    model.standBackdrop?.(stage, document);
    stage.show(model.root, outline);
    performance.mark('cloche-first-frame');
    document.documentElement.dataset.state = 'ready';

    // Should this script not come, a picture without buttons is better than words.
    const attending = await import('./attend.ts').catch(() => undefined);
    attending?.attend({ page: document, stage, model });
  } catch (error) {
    showFailure(document, error, () => {
      hideFailure(document, 'loading');
      progress.wait();
      void open({ framed, response: requestModel(framed) });
    });
  }
}

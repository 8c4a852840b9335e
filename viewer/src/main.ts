import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { type BootstrapState, requestAsset, requestFirstAsset } from './bootstrap-state.ts';
import type { ViewerControls } from './controls/mount-controls.ts';
import { download } from './loader/download.ts';
import { type LoadedModel, prepareModel, replaceModel, showModel } from './loader/prepare-model.ts';
import { createEnvironmentMap } from './renderer/environment-map.ts';
import { SceneRenderer } from './renderer/scene-renderer.ts';
import { hideError, showError, showPreviewOnlyNotice } from './ui/error-overlay.ts';
import { ProgressBar } from './ui/progress-bar.ts';

const canvas = document.querySelector('#view canvas') as HTMLCanvasElement;
const progressBar = new ProgressBar(document.getElementById('progress') as HTMLProgressElement);

let sceneRenderer: SceneRenderer | undefined;

const bootstrapState = globalThis.clocheBootstrap;
globalThis.clocheBootstrap = undefined;
// Without an opening the boot script has refused, and said so.
if (bootstrapState !== undefined) await start(bootstrapState);

async function start({ config, firstResponse }: BootstrapState): Promise<void> {
  try {
    sceneRenderer ??= new SceneRenderer(canvas, createEnvironmentMap());
    if (config.preview === undefined || config.posterMode)
      await loadAndShowModel(sceneRenderer, config, firstResponse);
    else await showPreviewThenModel(sceneRenderer, config, firstResponse);
  } catch (error) {
    showError(document, { framed: config, error }, () => {
      hideError(document, 'loading');
      progressBar.setIndeterminate();
      void start({ config, firstResponse: requestFirstAsset(config) });
    });
  }
}

async function loadAndShowModel(
  on: SceneRenderer,
  framed: ViewerConfig,
  asked: Promise<Response>,
): Promise<void> {
  const player = await prepareModel(await downloadModel(framed, asked), on, framed);
  showModel(player, on, document);
  if (framed.posterMode) {
    const { renderPosterFrame } = await import('./poster-mode.ts');
    await renderPosterFrame(document, on, player.model);
    setDocumentState('ready');
    return;
  }
  setDocumentState('ready');
  (await loadControls(on, player))?.setModel(player.model);
}

/** The preview first, then the model. A preview that fails is no failure. */
async function showPreviewThenModel(
  sceneRenderer: SceneRenderer,
  config: ViewerConfig,
  asked: Promise<Response>,
): Promise<void> {
  const bytes = config.preview?.bytes ?? 0;
  const file = await download(asked, bytes, () => {}).catch(() => undefined);
  // Only now: beside preview and scripts it would hold both up.
  const model = requestAsset(config.model.url, config.grant);
  const preview = file && (await prepareModel(file, sceneRenderer, config).catch(() => undefined));
  if (preview === undefined) return loadAndShowModel(sceneRenderer, config, model);
  showModel(preview, sceneRenderer, document);
  setDocumentState('preview');
  await loadFullModel(
    { sceneRenderer, config, preview, controls: loadControls(sceneRenderer, preview) },
    model,
  );
}

type PreviewedModel = {
  sceneRenderer: SceneRenderer;
  config: ViewerConfig;
  preview: LoadedModel;
  controls: Promise<ViewerControls | undefined>;
};

/** The model takes over from the preview. Until then, and if it fails, the preview stays. */
async function loadFullModel(half: PreviewedModel, asked: Promise<Response>): Promise<void> {
  const { sceneRenderer, config, preview, controls } = half;
  try {
    const player = await prepareModel(await downloadModel(config, asked), sceneRenderer, config);
    const attendant = await controls;
    const alike = await replaceModel(player, preview, { stage: sceneRenderer, page: document });
    if (!alike) attendant?.jumpToDefaultView();
    attendant?.setModel(player.model);
    performance.mark('cloche-model-frame');
    setDocumentState('ready');
  } catch (error) {
    progressBar.hide();
    showPreviewOnlyNotice(document, error, () => {
      void loadFullModel(half, requestAsset(config.model.url, config.grant));
    });
  }
}

async function downloadModel(framed: ViewerConfig, asked: Promise<Response>): Promise<ArrayBuffer> {
  const file = await download(asked, framed.model.bytes, (share) => progressBar.setValue(share));
  progressBar.setIndeterminate();
  return file;
}

/** Should this script not come, a picture without buttons is better than words. */
async function loadControls(
  sceneRenderer: SceneRenderer,
  { model }: LoadedModel,
): Promise<ViewerControls | undefined> {
  const attending = await import('./controls/mount-controls.ts').catch(() => undefined);
  const attendant = attending?.mountControls({ document, sceneRenderer, model });
  // The shadow is there now: the poster had it, too.
  document.documentElement.dataset.interactive = '';
  return attendant;
}

function setDocumentState(state: 'preview' | 'ready'): void {
  document.documentElement.dataset.state = state;
}

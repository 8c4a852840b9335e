/**
 * Everything that waits until the design is seen: the hand, the keys, the buttons, the shadow.
 * A script of its own, so the first frame does not wait for it.
 */
import type { Object3D } from 'three';
import { Orbit } from '../camera/orbit.ts';
import type { ParsedModel } from '../loader/parse-model.ts';
import { ContactShadow } from '../renderer/contact-shadow.ts';
import { handleContextLoss } from '../renderer/context-loss.ts';
import type { SceneRenderer } from '../renderer/scene-renderer.ts';
import { pickPoint } from '../scene/pick-point.ts';
import { Announcer, describeView } from '../ui/announcer.ts';
import { Hint } from '../ui/hint.ts';
import { mountFullscreenButton, populateMenu, setToggleState } from '../ui/toolbar.ts';
import { findKeyAction } from './keyboard-controls.ts';
import { PointerControls } from './pointer-controls.ts';

/** A drag across this many pixels turns the design half around. */
const HALF_TURN_PIXELS = 420;

/** What is attended to. */
export type ControlsOptions = {
  document: Document;
  sceneRenderer: SceneRenderer;
  model: ParsedModel;
};

/** Whoever gives the visitor what there is to do. */
export type ViewerControls = {
  /** The design itself is on stage: its animations and its looks can be had. */
  setModel(model: ParsedModel): void;
  /** Another design than before is on stage: the camera stands where that one is well seen. */
  jumpToDefaultView(): void;
};

/** Gives the visitor everything there is to do with whatever is on stage. */
export function mountControls(scene: ControlsOptions): ViewerControls {
  const { document, sceneRenderer } = scene;
  const shadow = new ContactShadow(sceneRenderer, scene.model.root);
  let { root } = scene.model;
  const camera = mountCameraControls(document, sceneRenderer, () => root);
  handleContextLoss(document, sceneRenderer, () => shadow.update());

  getButton(document, 'reset').onclick = () => camera.resetView();
  mountFullscreenButton(document, getButton(document, 'fullscreen'));
  document.getElementById('toolbar')?.removeAttribute('hidden');
  return {
    setModel(model) {
      if (model.root !== root) {
        root = model.root;
        // A frame later than the model, whose own frame has enough to do.
        sceneRenderer.addFrameCallback(() => {
          shadow.setModel(root);
          return false;
        });
      }
      mountAnimationControls({ document, sceneRenderer, model }, shadow);
      mountVariantMenu({ document, sceneRenderer, model }, shadow);
    },
    jumpToDefaultView: () => camera.jumpToDefaultView(),
  };
}

type CameraControls = { resetView(): void; jumpToDefaultView(): void };

function mountCameraControls(
  page: Document,
  stage: SceneRenderer,
  findRoot: () => Object3D,
): CameraControls {
  const still = page.defaultView?.matchMedia('(prefers-reduced-motion: reduce)');
  const { bounds, defaultView, canvas } = stage;
  const orbit = new Orbit(defaultView, bounds.radius, () => still?.matches === true);
  const announcer = new Announcer(page.getElementById('live-region') as HTMLElement);
  const hint = new Hint(page.getElementById('hint') as HTMLElement);

  const go = (seconds: number) => {
    const onwards = orbit.update(seconds);
    stage.setView(orbit.view);
    return onwards;
  };
  const wish = (change: () => void) => {
    change();
    stage.addFrameCallback(go);
    announcer.announce(describeView(orbit.goal));
  };
  const perPixel = Math.PI / HALF_TURN_PIXELS;

  new PointerControls(canvas, {
    rotate: (right, down) => wish(() => orbit.rotate(-right * perPixel, down * perPixel)),
    pan: (right, down) =>
      wish(() => orbit.pan(-right * stage.unitsPerPixel, down * stage.unitsPerPixel)),
    twist: (angle) => wish(() => orbit.rotate(angle, 0)),
    zoom: (factor) => wish(() => orbit.zoom(factor)),
    focus: (place) => {
      const point = pickPoint(place, { canvas, camera: stage.camera, root: findRoot() });
      wish(() => (point === undefined ? orbit.reset() : orbit.focus(point)));
    },
    plainWheel: () => hint.show(`${isApplePlatform() ? '⌘' : 'Ctrl'} + scroll to zoom`),
  });
  const view = page.getElementById('view') as HTMLElement;
  view.tabIndex = 0;
  view.addEventListener('keydown', (event) => {
    const deed = findKeyAction(event);
    if (deed === undefined) return;
    event.preventDefault();
    wish(() => deed(orbit, stage.unitsPerPixel * canvas.clientHeight));
  });
  return {
    resetView: () => wish(() => orbit.reset()),
    jumpToDefaultView: () => orbit.jumpTo(stage.defaultView, stage.bounds.radius),
  };
}

function mountAnimationControls(
  { document, sceneRenderer, model: { animations } }: ControlsOptions,
  shadow: ContactShadow,
): void {
  if (animations === undefined) return;
  const play = getButton(document, 'play');
  let playing = false;
  const go = (seconds: number) => {
    animations.update(seconds);
    shadow.updateThrottled(seconds);
    return playing;
  };
  const set = (next: boolean) => {
    playing = next;
    setToggleState(play, playing, playing ? 'Pause animation' : 'Play animation');
    if (playing) sceneRenderer.addFrameCallback(go);
    else sceneRenderer.removeFrameCallback(go);
  };

  play.hidden = false;
  play.onclick = () => set(!playing);
  set(!matchMedia('(prefers-reduced-motion: reduce)').matches);
  if (animations.clipNames.length < 2) return;
  const names = animations.clipNames.map((name, index) => name || `Animation ${index + 1}`);
  populateMenu(document.getElementById('animations') as HTMLSelectElement, names, (index) => {
    animations.selectClip(index);
    shadow.update();
    sceneRenderer.requestRender();
  });
}

function mountVariantMenu(
  { document, sceneRenderer, model: { variants } }: ControlsOptions,
  shadow: ContactShadow,
): void {
  if (variants === undefined || variants.names.length === 0) return;
  const names = variants.names.map((name, index) => name || `Variant ${index + 1}`);
  const menu = document.getElementById('variants') as HTMLSelectElement;
  populateMenu(menu, ['Original', ...names], async (index) => {
    await variants.select(index === 0 ? undefined : index - 1);
    shadow.update();
    sceneRenderer.requestRender();
  });
}

function getButton(page: Document, id: string): HTMLButtonElement {
  return page.getElementById(id) as HTMLButtonElement;
}

function isApplePlatform(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.platform);
}

/**
 * Everything that waits until the design is seen: the hand, the keys, the buttons, the shadow.
 * A script of its own, so the first frame does not wait for it.
 */
import type { Object3D } from 'three';
import { Announcer, describeView } from './announce.ts';
import { openFullscreen, openMenu, turnTo } from './bar.ts';
import { findPoint } from './focus.ts';
import { Hand } from './hand.ts';
import { Hint } from './hint.ts';
import { deedOf } from './keys.ts';
import { surviveLoss } from './lost.ts';
import type { Model } from './model.ts';
import { Orbit } from './orbit.ts';
import { Shadow } from './shadow.ts';
import type { Stage } from './stage.ts';

/** A drag across this many pixels turns the design half around. */
const HALF_TURN_PIXELS = 420;

/** What is attended to. */
export type Scene = { page: Document; stage: Stage; model: Model };

/** Whoever gives the visitor what there is to do. */
export type Attendant = {
  /** The design itself is on stage: its animations and its looks can be had. */
  take(model: Model): void;
  /** Another design than before is on stage: the camera stands where that one is well seen. */
  goHome(): void;
};

/** Gives the visitor everything there is to do with whatever is on stage. */
export function attend(scene: Scene): Attendant {
  const { page, stage } = scene;
  const shadow = new Shadow(stage, scene.model.root);
  let { root } = scene.model;
  const camera = attendCamera(page, stage, () => root);
  surviveLoss(page, stage, () => shadow.cast());

  button(page, 'reset').onclick = () => camera.reset();
  openFullscreen(page, button(page, 'fullscreen'));
  page.getElementById('bar')?.removeAttribute('hidden');
  return {
    take(model) {
      if (model.root !== root) {
        root = model.root;
        // A frame later than the model, whose own frame has enough to do.
        stage.move(() => {
          shadow.castBy(root);
          return false;
        });
      }
      attendMotion({ page, stage, model }, shadow);
      attendVariants({ page, stage, model }, shadow);
    },
    goHome: () => camera.goHome(),
  };
}

type Camera = { reset(): void; goHome(): void };

function attendCamera(page: Document, stage: Stage, findRoot: () => Object3D): Camera {
  const still = page.defaultView?.matchMedia('(prefers-reduced-motion: reduce)');
  const { outline, home, canvas } = stage;
  const orbit = new Orbit(home, outline.radius, () => still?.matches === true);
  const announcer = new Announcer(page.getElementById('spoken') as HTMLElement);
  const hint = new Hint(page.getElementById('hint') as HTMLElement);

  const go = (seconds: number) => {
    const onwards = orbit.step(seconds);
    stage.stand(orbit.view);
    return onwards;
  };
  const wish = (change: () => void) => {
    change();
    stage.move(go);
    announcer.say(describeView(orbit.goal));
  };
  const perPixel = Math.PI / HALF_TURN_PIXELS;

  new Hand(canvas, {
    turn: (right, down) => wish(() => orbit.turn(-right * perPixel, down * perPixel)),
    pan: (right, down) =>
      wish(() => orbit.pan(-right * stage.unitsPerPixel, down * stage.unitsPerPixel)),
    twist: (angle) => wish(() => orbit.turn(angle, 0)),
    zoom: (factor) => wish(() => orbit.zoom(factor)),
    focus: (place) => {
      const point = findPoint(place, { canvas, camera: stage.camera, root: findRoot() });
      wish(() => (point === undefined ? orbit.reset() : orbit.focus(point)));
    },
    scrolledPast: () => hint.show(`${isMac() ? '⌘' : 'Ctrl'} + scroll to zoom`),
  });
  const view = page.getElementById('view') as HTMLElement;
  view.tabIndex = 0;
  view.addEventListener('keydown', (event) => {
    const deed = deedOf(event);
    if (deed === undefined) return;
    event.preventDefault();
    wish(() => deed(orbit, stage.unitsPerPixel * canvas.clientHeight));
  });
  return {
    reset: () => wish(() => orbit.reset()),
    goHome: () => orbit.settle(stage.home, stage.outline.radius),
  };
}

function attendMotion({ page, stage, model: { motion } }: Scene, shadow: Shadow): void {
  if (motion === undefined) return;
  const play = button(page, 'play');
  let playing = false;
  const go = (seconds: number) => {
    motion.advance(seconds);
    shadow.follow(seconds);
    return playing;
  };
  const set = (next: boolean) => {
    playing = next;
    turnTo(play, playing, playing ? 'Pause animation' : 'Play animation');
    if (playing) stage.move(go);
    else stage.halt(go);
  };

  play.hidden = false;
  play.onclick = () => set(!playing);
  set(!matchMedia('(prefers-reduced-motion: reduce)').matches);
  if (motion.names.length < 2) return;
  const names = motion.names.map((name, index) => name || `Animation ${index + 1}`);
  openMenu(page.getElementById('clips') as HTMLSelectElement, names, (index) => {
    motion.choose(index);
    shadow.cast();
    stage.redraw();
  });
}

function attendVariants({ page, stage, model: { variants } }: Scene, shadow: Shadow): void {
  if (variants === undefined || variants.names.length === 0) return;
  const names = variants.names.map((name, index) => name || `Variant ${index + 1}`);
  const menu = page.getElementById('variants') as HTMLSelectElement;
  openMenu(menu, ['Original', ...names], async (index) => {
    await variants.choose(index === 0 ? undefined : index - 1);
    shadow.cast();
    stage.redraw();
  });
}

function button(page: Document, id: string): HTMLButtonElement {
  return page.getElementById(id) as HTMLButtonElement;
}

function isMac(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.platform);
}

/**
 * Everything that waits until the design is seen: the hand, the keys, the buttons, the shadow.
 * A script of its own, so the first frame does not wait for it.
 */
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

/** Gives the visitor everything there is to do. */
export function attend(scene: Scene): void {
  const { page, stage, model } = scene;
  const shadow = new Shadow(stage, model.root);
  const orbit = attendCamera(scene);
  attendMotion(scene, shadow);
  attendVariants(scene, shadow);
  surviveLoss(page, stage, () => shadow.cast());

  const reset = button(page, 'reset');
  reset.onclick = () => orbit.reset();
  openFullscreen(page, button(page, 'fullscreen'));
  page.getElementById('bar')?.removeAttribute('hidden');
}

type Camera = { reset(): void };

function attendCamera({ page, stage, model }: Scene): Camera {
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
      const point = findPoint(place, { canvas, camera: stage.camera, root: model.root });
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
  return { reset: () => wish(() => orbit.reset()) };
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

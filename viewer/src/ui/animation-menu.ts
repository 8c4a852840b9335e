import type { AnimationState } from '@cloche/contract/message';
import { formatSeconds } from '../i18n/format.ts';
import { translate } from '../i18n/translate.ts';
import type { Viewer } from '../viewer.ts';
import { createIconButton } from './icon-button.ts';
import { ICONS } from './icons.ts';
import { createRadioList } from './radio-list.ts';
import type { ToolbarMenu } from './toolbar.ts';

/** How often the slider follows an animation that plays, while the menu is open. */
const FOLLOW_MS = 100;
/** How far one key press moves the slider. Seconds. */
const SEEK_STEP = 0.1;

/** Creates a menu to select an animation, to play and pause it, and to move to a time in it. */
export function createAnimationMenu(viewer: Viewer): ToolbarMenu {
  let names: readonly string[] = [];
  let animation: AnimationState | null = null;
  let timer: ReturnType<typeof setInterval> | undefined;
  const list = createRadioList({
    name: 'animation',
    label: translate('animations.label'),
    onSelect: (index) => void viewer.selectAnimation(names[index] ?? ''),
  });
  const player = createPlayer(viewer);
  const content = document.createElement('div');
  content.append(list.element, player.element);
  viewer.on('animationchange', (state) => {
    animation = state;
  });
  const readTime = async () => {
    animation = await viewer.getAnimation();
    player.update(animation);
  };
  return {
    id: 'animations',
    icon: ICONS.animations,
    label: 'animations.label',
    content,
    staysOpen: true,
    isAvailable: () => names.length > 0,
    async read() {
      const animations = await viewer.getAnimations();
      names = animations.map(({ name }) => name);
      animation = await viewer.getAnimation();
    },
    update() {
      list.update(names, names.indexOf(animation?.name ?? ''));
      list.element.hidden = names.length < 2;
      player.update(animation);
    },
    onToggle(isOpen) {
      clearInterval(timer);
      if (isOpen) timer = setInterval(() => viewer.playing && void readTime(), FOLLOW_MS);
    },
  };
}

/** Creates the button to play and pause, the slider for the time, and the time as a text. */
function createPlayer(viewer: Viewer) {
  const element = document.createElement('div');
  const { button, setIcon, setLabel } = createIconButton('animation-play');
  const slider = document.createElement('input');
  const text = document.createElement('span');
  element.className = 'player';
  // Players run from left to right in all languages.
  element.dir = 'ltr';
  slider.type = 'range';
  slider.min = '0';
  slider.step = String(SEEK_STEP);
  slider.setAttribute('aria-label', translate('animations.time'));
  text.setAttribute('aria-hidden', 'true');
  element.append(button, slider, text);
  button.onclick = () => void (viewer.playing ? viewer.pause() : viewer.play());
  slider.oninput = () => void viewer.seek(slider.valueAsNumber);
  return {
    element,
    update(animation: AnimationState | null) {
      const { time = 0, duration = 0, playing = false } = animation ?? {};
      const times = { time: formatSeconds(time), duration: formatSeconds(duration) };
      setLabel(translate(playing ? 'animation.pause' : 'animation.play'));
      setIcon(playing ? ICONS.pause : ICONS.play);
      slider.max = String(duration);
      slider.value = String(time);
      // While it plays, a screen reader would read every change.
      if (!playing || !slider.hasAttribute('aria-valuetext'))
        slider.setAttribute('aria-valuetext', translate('animations.position', times));
      text.textContent = translate('animations.positionShort', times);
    },
  };
}

import type { AnimationInfo, AnimationState } from '@cloche/contract/message';
import { ViewerProblem } from '@cloche/contract/viewer-problem';
import { createArgumentProblem } from '../argument-problem.ts';
import type { LoadedModel } from '../loader/prepare-model.ts';
import type { SceneRenderer } from '../renderer/scene-renderer.ts';
import type { AnimationPlayer } from '../scene/animation-player.ts';
import type { ModelAccess } from './model-access.ts';
import { listAnimationNames } from './model-names.ts';

type AnimationMethodsOptions = {
  access: ModelAccess;
  renderer: SceneRenderer;
  onChange: (event: 'animationchange' | 'play' | 'pause', state: AnimationState) => void;
};

/**
 * The animations of a model by name. The selected animation, its time, and whether it plays, stay when the model is
 * loaded again. While it is unloaded, the time stands still.
 */
export class AnimationMethods {
  readonly #options: AnimationMethodsOptions;
  #animations: readonly AnimationInfo[] = [];
  #index = 0;
  /** While the model is unloaded. */
  #time = 0;
  #playing = false;
  /** Whether the visitor or the page has called `play` or `pause`. */
  #isDecided = false;

  constructor(options: AnimationMethodsOptions) {
    this.#options = options;
    options.access.onFirstModel((model) => {
      const { clips = [], index = 0 } = model.animations ?? {};
      const names = listAnimationNames(model);
      this.#index = index;
      this.#animations = clips.map(({ duration }, index) => ({
        name: names[index] as string,
        duration,
      }));
      this.#emit('animationchange');
    });
  }

  /** Names come from the file: untrusted text. */
  getAnimations(): AnimationInfo[] {
    return this.#animations.map((animation) => ({ ...animation }));
  }

  /** The selected animation; null if the model has none. */
  getAnimation(): AnimationState | null {
    const animation = this.#animations[this.#index];
    if (animation === undefined) return null;
    return { ...animation, playing: this.#playing, time: this.#player?.time ?? this.#time };
  }

  /**
   * Selects an animation, from its start. It plays if an animation was playing.
   *
   * @throws {ViewerProblem} viewer.unknown-animation
   */
  selectAnimation(name: string): void {
    const index = this.#animations.findIndex((animation) => animation.name === name);
    if (index === -1) throw new ViewerProblem('viewer.unknown-animation');
    this.#index = index;
    this.#time = 0;
    this.#player?.selectClip(index);
    this.#options.renderer.requestRender();
    this.#emit('animationchange');
  }

  /** Plays the selected animation, unless `play` or `pause` was called before. */
  autoplay(): void {
    if (!this.#isDecided) this.#setPlaying(true);
  }

  /** @throws {ViewerProblem} viewer.no-animation */
  play(): void {
    this.#isDecided = true;
    this.#setPlaying(true);
  }

  /** @throws {ViewerProblem} viewer.no-animation */
  pause(): void {
    this.#isDecided = true;
    this.#setPlaying(false);
  }

  /**
   * Moves to a time of the selected animation, at most to its end. Seconds.
   *
   * @throws {ViewerProblem} viewer.invalid-argument or viewer.no-animation
   */
  seek(time: number): void {
    const { duration } = this.#getSelected();
    if (!Number.isFinite(time) || time < 0) {
      throw createArgumentProblem('time', 'a number of seconds from 0');
    }
    this.#time = Math.min(time, duration);
    if (this.#player !== undefined) this.#player.time = this.#time;
    this.#options.renderer.requestRender();
    this.#emit('animationchange');
  }

  /** Must be called before the model is unloaded. */
  save(): void {
    this.#time = this.#player?.time ?? this.#time;
    if (this.#player) this.#options.renderer.removeFrameCallback(this.#player.update);
  }

  /** Applies the state to a model that has been loaded again. */
  restore({ animations }: LoadedModel): void {
    if (animations === undefined) return;
    animations.selectClip(this.#index);
    animations.time = this.#time;
  }

  /** Continues after `restore`, when the model can be drawn. */
  resume(): void {
    if (this.#playing && this.#player) this.#options.renderer.addFrameCallback(this.#player.update);
  }

  get #player(): AnimationPlayer | undefined {
    return this.#options.access.model?.animations;
  }

  #getSelected(): AnimationInfo {
    const animation = this.#animations[this.#index];
    if (animation === undefined) throw new ViewerProblem('viewer.no-animation');
    return animation;
  }

  #setPlaying(playing: boolean): void {
    this.#getSelected();
    if (playing === this.#playing) return;
    this.#playing = playing;
    const { renderer } = this.#options;
    if (this.#player !== undefined) {
      if (playing) renderer.addFrameCallback(this.#player.update);
      else renderer.removeFrameCallback(this.#player.update);
    }
    this.#emit(playing ? 'play' : 'pause');
    this.#emit('animationchange');
  }

  #emit(event: 'animationchange' | 'play' | 'pause'): void {
    const state = this.getAnimation();
    if (state !== null) this.#options.onChange(event, state);
  }
}

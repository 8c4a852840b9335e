import { type AnimationAction, type AnimationClip, AnimationMixer, type Object3D } from 'three';

/** Plays one of the animations of a model. Until the first update, the model is in its first pose. */
export class AnimationPlayer {
  /** Names are untrusted text, and empty for animations without a name. */
  readonly clips: readonly AnimationClip[];
  readonly #mixer: AnimationMixer;
  #activeAction: AnimationAction | undefined;
  #index = 0;

  constructor(root: Object3D, clips: readonly AnimationClip[]) {
    this.clips = clips;
    this.#mixer = new AnimationMixer(root);
    this.selectClip(0);
  }

  /** Selects an animation, from its start. */
  selectClip(index: number): void {
    const clip = this.clips[index];
    if (clip === undefined) return;
    this.#index = index;
    this.#activeAction?.stop();
    this.#activeAction = this.#mixer.clipAction(clip).reset().play();
    this.#mixer.update(0);
  }

  /** The index of the selected animation. */
  get index(): number {
    return this.#index;
  }

  /** The time in the selected animation, in seconds. */
  get time(): number {
    return this.#activeAction?.time ?? 0;
  }

  set time(seconds: number) {
    if (this.#activeAction === undefined) return;
    this.#activeAction.time = seconds;
    this.#mixer.update(0);
  }

  /** Advances the animation. For `addFrameCallback`: returns true, because animations repeat. */
  readonly update = (seconds: number): boolean => {
    this.#mixer.update(seconds);
    return true;
  };
}

import { type AnimationAction, type AnimationClip, AnimationMixer, type Object3D } from 'three';

/** Plays one of the animations of a model. Until the first update, the model is in its first pose. */
export class AnimationPlayer {
  /** The names of the animations. Untrusted text. Empty strings for animations without a name. */
  readonly clipNames: readonly string[];
  readonly #mixer: AnimationMixer;
  readonly #clips: readonly AnimationClip[];
  #activeAction: AnimationAction | undefined;
  #index = 0;

  constructor(root: Object3D, clips: readonly AnimationClip[]) {
    this.clipNames = clips.map(({ name }) => name);
    this.#mixer = new AnimationMixer(root);
    this.#clips = clips;
    this.selectClip(0);
  }

  /** The index of the selected animation. */
  get index(): number {
    return this.#index;
  }

  /** Selects an animation, from its start. */
  selectClip(index: number): void {
    const clip = this.#clips[index];
    if (clip === undefined) return;
    this.#index = index;
    this.#activeAction?.stop();
    this.#activeAction = this.#mixer.clipAction(clip).reset().play();
    this.#mixer.update(0);
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

import { type AnimationAction, type AnimationClip, AnimationMixer, type Object3D } from 'three';

/** The animations of a design, one of which is on. Stands in its first pose until it is played. */
export class AnimationPlayer {
  readonly #mixer: AnimationMixer;
  readonly #clips: readonly AnimationClip[];
  #activeAction: AnimationAction | undefined;

  constructor(root: Object3D, clips: readonly AnimationClip[]) {
    this.#mixer = new AnimationMixer(root);
    this.#clips = clips;
    this.selectClip(0);
  }

  /** The animations' names, as the file has them: never trust them as HTML. */
  get clipNames(): string[] {
    return this.#clips.map(({ name }) => name);
  }

  /** Puts an animation on, from its start. */
  selectClip(index: number): void {
    const clip = this.#clips[index];
    if (clip === undefined) return;
    this.#activeAction?.stop();
    this.#activeAction = this.#mixer.clipAction(clip).reset().play();
    this.#mixer.update(0);
  }

  /** Lets the animation go on for a while. */
  update(seconds: number): void {
    this.#mixer.update(seconds);
  }
}

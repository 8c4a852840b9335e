import type { AnimationState } from '@cloche/contract/message';
import type { EventEmitter } from './event-emitter.ts';
import type { ViewerError } from './viewer-error.ts';
import type { ViewerEvents } from './viewer-events.ts';

/** The last values of the events that report a state. */
export class ObservedState {
  /** The selected animation. */
  animation: AnimationState | undefined;
  /** Why the state is `failed`, or why the model has not replaced the preview. */
  error: ViewerError | undefined;
  autoRotation: ViewerEvents['autorotatechange'] = { available: false, active: false };

  constructor(events: EventEmitter<ViewerEvents>) {
    events.on('animationchange', (animation) => {
      this.animation = animation;
    });
    events.on('error', ({ error }) => {
      this.error = error;
    });
    events.on('statechange', ({ state }) => {
      if (state !== 'failed') this.error = undefined;
    });
    // They were late.
    events.on('controlsready', () => {
      if (this.error?.code === 'controls') this.error = undefined;
    });
    events.on('autorotatechange', (change) => {
      this.autoRotation = change;
    });
  }
}

import type { DesignStore } from '../designs/design-store.ts';
import type { EventSource } from '../events/event.ts';
import type { JobRunner } from '../processing/job-runner.ts';
import type { ProgressHub } from '../processing/progress.ts';
import type { TokenStore } from '../tokens/token-store.ts';

type EventHandlers = {
  /** The id of this node. */
  node: string;
  tokens: Pick<TokenStore, 'invalidate' | 'invalidateAll'>;
  designs: Pick<DesignStore, 'invalidate' | 'invalidateAll'>;
  progress: Pick<ProgressHub, 'receive' | 'forgetReceived'>;
  runner: Pick<JobRunner, 'notify' | 'abort'>;
};

/** Lets the events of other processes have the effects that a change of this process has directly. */
export function handleEvents(
  events: EventSource,
  { node, tokens, designs, progress, runner }: EventHandlers,
): void {
  events.subscribe('token', ({ ids }) => tokens.invalidate(ids));
  // Disabling a user is rare, and the cache of tokens has no index by user.
  events.subscribe('user', () => tokens.invalidateAll());
  events.subscribe('design', ({ id, revisionIds }) => designs.invalidate(id, revisionIds));
  events.subscribe('job', () => runner.notify());
  events.subscribe('cancel', ({ revisionIds }) => {
    for (const id of revisionIds) void runner.abort(id);
  });
  events.subscribe('progress', (event) => {
    if (event.node === node) return;
    for (const { designId, progress: latest } of event.progress) progress.receive(designId, latest);
  });
  events.onMissed(() => {
    tokens.invalidateAll();
    designs.invalidateAll();
    progress.forgetReceived();
    runner.notify();
  });
}

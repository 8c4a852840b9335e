import type { DesignStore } from '../designs/design-store.ts';
import type { EventSource } from '../events/event.ts';
import type { LogLevelSetting } from '../http/log-level-setting.ts';
import type { JobRunner } from '../processing/job-runner.ts';
import type { ProgressHub } from '../processing/progress.ts';
import type { SessionStore } from '../tokens/session-store.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import type { UploadLocker } from '../uploads/upload-locker.ts';

type EventHandlers = {
  /** The id of this node. */
  node: string;
  tokens: Pick<TokenStore, 'invalidate' | 'invalidateAll'>;
  sessions: Pick<SessionStore, 'invalidateAll'>;
  designs: Pick<DesignStore, 'invalidate' | 'invalidateAll'>;
  progress: Pick<ProgressHub, 'receive' | 'forgetReceived'>;
  runner: Pick<JobRunner, 'notify' | 'abort'>;
  uploadLocker: Pick<UploadLocker, 'stop'>;
  logLevelSetting: Pick<LogLevelSetting, 'apply'>;
};

/** Lets the events of other processes have the effects that a change of this process has directly. */
export function handleEvents(
  events: EventSource,
  {
    node,
    tokens,
    sessions,
    designs,
    progress,
    runner,
    uploadLocker,
    logLevelSetting,
  }: EventHandlers,
): void {
  events.subscribe('token', ({ ids }) => tokens.invalidate(ids));
  // Ending a session is rare, and others are read again with one query each.
  events.subscribe('session', () => sessions.invalidateAll());
  // Disabling a user is rare, and the cache of tokens has no index by user.
  events.subscribe('user', () => tokens.invalidateAll());
  events.subscribe('design', ({ id, revisionIds, deletedFrom }) =>
    designs.invalidate(id, revisionIds, deletedFrom),
  );
  events.subscribe('log-level', ({ level }) => logLevelSetting.apply(level));
  events.subscribe('job', () => runner.notify());
  events.subscribe('cancel', ({ revisionIds }) => {
    for (const id of revisionIds) void runner.abort(id);
  });
  events.subscribe('upload', ({ id: uploadId, attempt }) => {
    void uploadLocker.stop({ uploadId, attempt });
  });
  events.subscribe('progress', (event) => {
    if (event.node === node) return;
    for (const { designId, progress: latest } of event.progress) progress.receive(designId, latest);
  });
  events.onMissed(() => {
    tokens.invalidateAll();
    sessions.invalidateAll();
    designs.invalidateAll();
    progress.forgetReceived();
    runner.notify();
  });
}

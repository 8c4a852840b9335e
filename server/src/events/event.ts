import type { ProcessingProgress } from '@cloche/contract/design';
import type { LogLevel } from '@cloche/contract/log-level';

/** A change that other processes with the same database must know. */
export type ServiceEvent =
  /** Tokens were changed or revoked. */
  | { topic: 'token'; ids: readonly string[] }
  /** Sessions were ended. */
  | { topic: 'session' }
  /** A user was disabled or enabled, which concerns all its tokens. */
  | { topic: 'user'; id: string }
  /**
   * A design was changed or, with `deletedFrom`, the user whom it belonged to, deleted. `revisionIds`: those of its revisions
   * that were changed or deleted.
   */
  | { topic: 'design'; id: string; revisionIds: readonly string[]; deletedFrom?: string }
  /** An operator has set the level of the log. Null: that of the setting. */
  | { topic: 'log-level'; level: LogLevel | null }
  /** A job was added. */
  | { topic: 'job' }
  /** Revisions were cancelled or deleted: their jobs must end. */
  | { topic: 'cancel'; revisionIds: readonly string[] }
  /** Another request waits for the lease of an upload with this attempt. */
  | { topic: 'upload'; id: string; attempt: number }
  /** Jobs of a node have progressed. Null: no job of the design runs. */
  | {
      topic: 'progress';
      node: string;
      progress: readonly { designId: string; progress: ProcessingProgress | null }[];
    };

export type EventTopic = ServiceEvent['topic'];

/** The events of a topic. */
export type EventOf<T extends EventTopic> = Extract<ServiceEvent, { topic: T }>;

/** Receives the events of all processes, also its own. */
export interface EventSource {
  /** Whether each event of more than `MAX_LAG_MS` ago was received. If not, caches must not be used. */
  isCurrent(): boolean;
  /** All events until so long ago were received. */
  getLagMs(): number;
  subscribe<T extends EventTopic>(topic: T, listener: (event: EventOf<T>) => void): void;
  /** Calls `listener` when events may have been missed. */
  onMissed(listener: () => void): void;
}

/** A node whose lag is longer does not use its caches. */
export const MAX_LAG_MS = 1_800;

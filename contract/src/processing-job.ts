import Type, { type Static } from 'typebox';
import { ListQuery } from './pagination.ts';

/** What the list of jobs can be filtered by. */
const JOB_STATES = ['waiting', 'running', 'failed'] as const;
export type JobState = (typeof JOB_STATES)[number];

const Nullable = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

/** A revision to be processed, or that could not be, as operators see it. */
export const ProcessingJob = Type.Object({
  id: Type.String({ description: 'The id of the revision.' }),
  state: Type.Enum([...JOB_STATES, 'cancelled', 'done']),
  purpose: Type.Enum(['process', 'poster'], {
    description: '`poster`: the revision is ready, and only its poster is rendered again.',
  }),
  design: Type.Object({ id: Type.String(), name: Type.String() }),
  revision: Type.Integer({ description: 'The number of the revision.' }),
  owner: Type.Object({ id: Type.String(), name: Type.String() }),
  createdAt: Type.String({
    format: 'date-time',
    description: 'When the job was added; of a failed one, when the file was.',
  }),
  attempts: Nullable(Type.Integer(), 'How often it was started. Null: not recorded.'),
  dueAt: Nullable(
    Type.String({ format: 'date-time' }),
    'Of a waiting job whose attempt failed: the earliest time of the next one.',
  ),
  node: Nullable(Type.String(), 'The node that runs it, or ran it last.'),
  failedAt: Nullable(Type.String({ format: 'date-time' }), 'When the last attempt failed.'),
  problem: Nullable(Type.Object({ code: Type.String(), detail: Type.String() }), 'Why it failed.'),
});
export type ProcessingJob = Static<typeof ProcessingJob>;

/** A page of jobs: the oldest first, or of failed ones, the newest. */
export const ProcessingJobList = Type.Object({
  items: Type.Array(ProcessingJob),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
  counts: Type.Object(
    { waiting: Type.Integer(), running: Type.Integer(), failed: Type.Integer() },
    { description: 'The number of all jobs in each state.' },
  ),
});
export type ProcessingJobList = Static<typeof ProcessingJobList>;

export const ListJobsQuery = Type.Object(
  {
    ...ListQuery.properties,
    state: Type.Optional(
      Type.Enum([...JOB_STATES], { description: 'Default: those that are waiting or running.' }),
    ),
  },
  { additionalProperties: false },
);
export type ListJobsQuery = Static<typeof ListJobsQuery>;

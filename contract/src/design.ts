import Type, { type Static } from 'typebox';
import { UUID_PATTERN } from './id.ts';
import { ModelCounts, ModelStats } from './model-stats.ts';

const Time = Type.String({ format: 'date-time' });
const ProcessingStep = Type.Object({ name: Type.String(), durationMs: Type.Integer() });

/** A warning about content of the source file that was assumed, changed or not imported. */
export const ProcessingWarning = Type.Object({
  code: Type.String({ description: 'A stable identifier of the kind of warning.' }),
  message: Type.String({ description: 'An explanation for people.' }),
});
export type ProcessingWarning = Static<typeof ProcessingWarning>;

/** The result of processing a source file. */
export const ProcessingReport = Type.Object(
  {
    format: Type.String({ description: 'The format of the source file, detected from its bytes.' }),
    before: Type.Object(ModelCounts.properties, { description: 'The source file.' }),
    after: Type.Object(ModelCounts.properties, { description: 'The generated model.' }),
    previewBytes: Type.Optional(
      Type.Integer({ description: 'Size of the preview that loads before the model, in bytes.' }),
    ),
    steps: Type.Array(ProcessingStep, {
      description: 'The processing steps, in order, with their durations.',
    }),
    warnings: Type.Array(ProcessingWarning, {
      description: 'What was assumed, changed or not imported.',
    }),
  },
  { description: 'The result of processing the source file.' },
);
export type ProcessingReport = Static<typeof ProcessingReport>;

const RevisionProblem = Type.Object(
  {
    code: Type.String({ description: 'The code of a problem; /docs/problems explains each.' }),
    detail: Type.String({ description: 'What was wrong, and how to correct it.' }),
    revision: Type.Integer({ description: 'The number of the revision that failed.' }),
  },
  { description: 'Why the newest revision failed; null unless `status` is `failed`.' },
);

/** The progress of a job. */
export const ProcessingProgress = Type.Object(
  {
    step: Type.String({ description: 'The name of the current step.' }),
    percent: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'The progress over all steps.',
    }),
  },
  { description: 'The progress of the newest revision while it is processed.' },
);
export type ProcessingProgress = Static<typeof ProcessingProgress>;

const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const Status = Type.Enum(['queued', 'processing', 'ready', 'failed'], {
  description:
    'The status of the newest revision. Embeds show the revision in `revision`, whatever the status is.',
});

/** A design, as returned by the API. */
export const Design = Type.Object({
  id: Type.String({ pattern: UUID_PATTERN }),
  uri: Type.String({ examples: ['cloche:design:8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55'] }),
  name: Type.String(),
  description: Type.String(),
  status: Status,
  revision: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'The number of the revision that embeds show; null until the first revision is ready.',
  }),
  stats: nullable(ModelStats),
  report: nullable(ProcessingReport),
  progress: nullable(ProcessingProgress),
  problem: nullable(RevisionProblem),
  createdAt: Time,
  updatedAt: Time,
});
export type Design = Static<typeof Design>;

/** Changes to a design that need no new file. */
export const UpdateDesignRequest = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        format: 'display-name',
        examples: ['Oak chair'],
      }),
    ),
    description: Type.Optional(Type.String({ maxLength: 2000 })),
    revision: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'The revision to show from now on; it must be ready. To roll back, pass the number of an older revision.',
      }),
    ),
  },
  { additionalProperties: false, minProperties: 1 },
);
export type UpdateDesignRequest = Static<typeof UpdateDesignRequest>;

/** A page of designs. */
export const DesignList = Type.Object({
  items: Type.Array(Design),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
});

/** One version of a design’s file. */
export const Revision = Type.Object({
  number: Type.Integer(),
  status: Status,
  shown: Type.Boolean({ description: 'Whether embeds show this revision.' }),
  format: Type.String(),
  bytes: Type.Integer({ description: 'Size of the source file, in bytes.' }),
  sha256: Type.String({ description: 'SHA-256 of the source file, in hexadecimal.' }),
  createdAt: Time,
});
export type Revision = Static<typeof Revision>;

/** The revisions of a design, newest first. */
export const RevisionList = Type.Object({ items: Type.Array(Revision) });

import Type, { type Static } from 'typebox';
import { UUID_PATTERN } from './id.ts';
import { ModelCounts, ModelStats } from './model-stats.ts';

const Time = Type.String({ format: 'date-time' });
const ProcessingStep = Type.Object({ name: Type.String(), ms: Type.Integer() });

export const ProcessingWarning = Type.Object({
  code: Type.String({ description: 'A stable word for the kind of warning.' }),
  message: Type.String({ description: 'For people.' }),
});
export type ProcessingWarning = Static<typeof ProcessingWarning>;

export const ProcessingReport = Type.Object(
  {
    format: Type.String({ description: 'What the upload was, told by its bytes.' }),
    before: Type.Object(ModelCounts.properties, { description: 'The upload.' }),
    after: Type.Object(ModelCounts.properties, { description: 'The model we made of it.' }),
    previewBytes: Type.Optional(
      Type.Integer({ description: 'Bytes of the small likeness that shows first.' }),
    ),
    steps: Type.Array(ProcessingStep, { description: 'What was done, and how long it took.' }),
    warnings: Type.Array(ProcessingWarning, {
      description: 'What the format could not carry, or what was not read.',
    }),
  },
  { description: 'What was done to the upload.' },
);
export type ProcessingReport = Static<typeof ProcessingReport>;

const RevisionProblem = Type.Object(
  {
    code: Type.String({ description: 'As in problem answers; docs/problems explains each.' }),
    detail: Type.String({ description: 'What was wrong, and what would be right.' }),
    revision: Type.Integer({ description: 'The revision that failed.' }),
  },
  { description: 'Why the last upload could not be made into a model.' },
);

export const ProcessingProgress = Type.Object(
  {
    step: Type.String({ description: 'The step that runs, by its name.' }),
    percent: Type.Integer({ minimum: 0, maximum: 100, description: 'Of all steps together.' }),
  },
  { description: 'How far the last upload is, while it is processed.' },
);
export type ProcessingProgress = Static<typeof ProcessingProgress>;

const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const Status = Type.Enum(['queued', 'processing', 'ready', 'failed'], {
  description:
    'Where the last upload stands. Embeds show the revision named in `revision`, whatever this says.',
});

/** A design as the API shows it. */
export const Design = Type.Object({
  id: Type.String({ pattern: UUID_PATTERN }),
  uri: Type.String({ examples: ['cloche:design:8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55'] }),
  name: Type.String(),
  description: Type.String(),
  status: Status,
  revision: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The number of the revision that embeds show; null before the first is ready.',
  }),
  stats: nullable(ModelStats),
  report: nullable(ProcessingReport),
  progress: nullable(ProcessingProgress),
  problem: nullable(RevisionProblem),
  createdAt: Time,
  updatedAt: Time,
});
export type Design = Static<typeof Design>;

/** What may change in a design without a new file. */
export const UpdateDesignRequest = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, examples: ['Oak chair'] })),
    description: Type.Optional(Type.String({ maxLength: 2000 })),
    revision: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'Shows this revision from now on; it must be ready. To roll back, name an older one.',
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

/** One upload of a design. */
export const Revision = Type.Object({
  number: Type.Integer(),
  status: Status,
  shown: Type.Boolean({ description: 'Is it the one that embeds show?' }),
  format: Type.String(),
  bytes: Type.Integer({ description: 'Bytes of the upload.' }),
  sha256: Type.String({ description: 'Of the upload, in hexadecimal.' }),
  createdAt: Time,
});
export type Revision = Static<typeof Revision>;

/** All revisions of a design, the newest first. */
export const RevisionList = Type.Object({ items: Type.Array(Revision) });

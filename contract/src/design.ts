import Type, { type Static } from 'typebox';
import { designFieldSchemas } from './design-fields.ts';
import { UUID_PATTERN } from './id.ts';
import { ModelCounts, ModelStats } from './model-stats.ts';
import { ListQuery, UnreadableItems } from './pagination.ts';
import { ViewerOptionsResponse } from './viewer-options-schema.ts';

const Time = Type.String({ format: 'date-time' });
const ProcessingStep = Type.Object({ name: Type.String(), durationMs: Type.Integer() });

/** A warning about content of the source file that was assumed, changed or not imported. */
export const ProcessingWarning = Type.Object({
  code: Type.String({ description: 'A stable identifier of the kind of warning.' }),
  message: Type.String({ description: 'An explanation for people.' }),
});
export type ProcessingWarning = Static<typeof ProcessingWarning>;

const LevelsReport = Type.Object(
  {
    geometries: Type.Array(
      Type.Object({
        triangles: Type.Integer({ description: 'Number of triangles drawn.' }),
        maxSize: Type.Optional(
          Type.Integer({
            description:
              'Longest side of the model on the screen, in device pixels, up to which this geometry hardly differs from the whole model. Absent for the whole model, if that cannot be estimated, and if the design was processed by an older version.',
          }),
        ),
        bytes: Type.Integer({ description: 'Size of the file, in bytes.' }),
      }),
      {
        description:
          'The model without large textures, ascending by triangles. Visitors load the one that fits the size of the embed, and a larger one where the embed and the device can show it later. With no large textures, the last one is the model itself.',
      },
    ),
    textures: Type.Array(
      Type.Object({
        size: Type.Integer({
          description:
            'Longest side, in pixels, of an image that covers the surface as densely as `uvPerMeter`. The others have as many pixels on a meter. The last file has all pixels of the textures.',
        }),
        imageSize: Type.Optional(
          Type.Integer({
            description:
              'Longest side of the largest image, in pixels. Absent if the design was processed by an older version: then it is `size`.',
          }),
        ),
        pixels: Type.Optional(
          Type.Integer({
            description:
              'Pixels of all images. Absent if the design was processed by an older version.',
          }),
        ),
        bytes: Type.Integer({ description: 'Size of the file, in bytes.' }),
      }),
      { description: 'The large textures, as one file for each size, ascending.' },
    ),
    uvPerMeter: Type.Optional(
      Type.Number({
        description:
          'How densely textures cover the surface, at least: a texture of n pixels has n times as many pixels on a meter.',
      }),
    ),
  },
  {
    description:
      'The parts of the model, of which a visitor loads the geometry and the textures that fit the size of the embed. Absent if the model has few triangles and small textures: then all visitors load the whole model.',
  },
);

/** The result of processing a source file. */
export const ProcessingReport = Type.Object(
  {
    format: Type.String({ description: 'The format of the source file, detected from its bytes.' }),
    before: Type.Object(ModelCounts.properties, { description: 'The source file.' }),
    after: Type.Object(ModelCounts.properties, { description: 'The generated model.' }),
    previewBytes: Type.Optional(
      Type.Integer({ description: 'Size of the preview that loads before the model, in bytes.' }),
    ),
    levels: Type.Optional(LevelsReport),
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
  { description: 'Why the revision failed; null unless its status is `failed`.' },
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
    preview: Type.Boolean({
      description:
        'Whether the preview exists. Embeds of a design without a revision that is ready show it, until the model is ready.',
    }),
  },
  { description: 'The progress of the newest revision while it is processed.' },
);
export type ProcessingProgress = Static<typeof ProcessingProgress>;

const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const Status = Type.Enum(['queued', 'processing', 'ready', 'failed', 'cancelled'], {
  description:
    'The status of the newest revision. Embeds show the revision in `revision`, whatever the status is.',
});

/** The poster of the revision that embeds show. */
const Poster = Type.Object(
  {
    url: Type.String({ description: 'URL of the poster, a WebP image.' }),
    width: Type.Integer({ description: 'In pixels.' }),
    height: Type.Integer({ description: 'In pixels.' }),
    smallUrl: Type.String({ description: 'URL of a smaller version, for lists.' }),
    expiresAt: Type.String({
      format: 'date-time',
      description: 'When the URLs expire. Read the design again for new ones.',
    }),
  },
  {
    description:
      'The poster of the revision that embeds show; null if it has none. The URLs need no token, so that `<img>` can load them.',
  },
);

/** A design, as returned by the API. */
export const Design = Type.Object({
  id: Type.String({ pattern: UUID_PATTERN }),
  uri: Type.String({ examples: ['cloche:design:8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55'] }),
  name: Type.String(),
  description: Type.String(),
  tags: Type.Array(Type.String()),
  externalId: nullable(Type.String()),
  metadata: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
  }),
  maxTriangles: nullable(Type.Integer()),
  maxTextureSize: nullable(Type.Integer()),
  shared: Type.Boolean({
    description: 'Whether anyone with the link may see the design, without a token.',
  }),
  viewer: ViewerOptionsResponse,
  status: Status,
  revision: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'The number of the revision that embeds show; null until the first revision is ready.',
  }),
  poster: nullable(Poster),
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
    name: Type.Optional(designFieldSchemas.name),
    description: Type.Optional(designFieldSchemas.description),
    tags: Type.Optional(designFieldSchemas.tags),
    externalId: Type.Optional(nullable(designFieldSchemas.externalId)),
    metadata: Type.Optional(designFieldSchemas.metadata),
    maxTriangles: Type.Optional(nullable(designFieldSchemas.maxTriangles)),
    maxTextureSize: Type.Optional(nullable(designFieldSchemas.maxTextureSize)),
    shared: Type.Optional(designFieldSchemas.shared),
    viewer: Type.Optional(nullable(designFieldSchemas.viewer)),
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
  unreadable: UnreadableItems,
  nextCursor: Type.Union([Type.String(), Type.Null()]),
});
export type DesignList = Static<typeof DesignList>;

/** The query of the list of designs. */
export const DesignQuery = Type.Object(
  {
    ...ListQuery.properties,
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Only designs with this text in their name, description, tags or external id, in upper or lower case.',
      }),
    ),
    tag: Type.Optional(Type.String({ maxLength: 200, description: 'Only designs with this tag.' })),
    externalId: Type.Optional(
      Type.String({ maxLength: 200, description: 'Only the design with this external id.' }),
    ),
    sort: Type.Optional(
      Type.Enum(['createdAt', '-createdAt', 'updatedAt', '-updatedAt', 'name', '-name'], {
        default: '-createdAt',
        description: 'The order; with `-`, descending.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type DesignQuery = Static<typeof DesignQuery>;

/** One version of a design’s file. */
export const Revision = Type.Object({
  number: Type.Integer(),
  status: Status,
  shown: Type.Boolean({ description: 'Whether embeds show this revision.' }),
  format: Type.String(),
  fileName: nullable(Type.String({ description: 'The name of the uploaded file, if it had one.' })),
  bytes: Type.Integer({ description: 'Size of the source file, in bytes.' }),
  sha256: Type.String({ description: 'SHA-256 of the source file, in hexadecimal.' }),
  problem: nullable(RevisionProblem),
  createdAt: Time,
});
export type Revision = Static<typeof Revision>;

/** A page of the revisions of a design, newest first. */
export const RevisionList = Type.Object({
  items: Type.Array(Revision),
  unreadable: UnreadableItems,
  nextCursor: Type.Union([Type.String(), Type.Null()]),
});
export type RevisionList = Static<typeof RevisionList>;

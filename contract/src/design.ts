import Type, { type Static } from 'typebox';
import { UUID } from './id.ts';

const Time = Type.String({ format: 'date-time' });
const Vector = Type.Array(Type.Number(), { minItems: 3, maxItems: 3 });

const facts = {
  bytes: Type.Integer({ description: 'Bytes of the file.' }),
  triangles: Type.Integer({ description: 'Drawn: a mesh used twice counts twice.' }),
  vertices: Type.Integer({ description: 'Stored: a mesh used twice counts once.' }),
  nodes: Type.Integer(),
  meshes: Type.Integer(),
  materials: Type.Integer(),
  textures: Type.Integer(),
  animations: Type.Integer(),
  variants: Type.Integer(),
};

const Facts = Type.Object(facts);

const Stats = Type.Object(
  {
    ...facts,
    bounds: Type.Optional(
      Type.Object({ min: Vector, max: Vector }, { description: 'Metres, Y up.' }),
    ),
    extensions: Type.Array(Type.String(), { description: 'The glTF extensions the file uses.' }),
  },
  { description: 'What visitors load: the model we made of the upload.' },
);

const Step = Type.Object({ name: Type.String(), ms: Type.Integer() });

const Warning = Type.Object({
  code: Type.String({ description: 'A stable word for the kind of warning.' }),
  message: Type.String({ description: 'For people.' }),
});

const Report = Type.Object(
  {
    format: Type.String({ description: 'What the upload was, told by its bytes.' }),
    before: Type.Object(Facts.properties, { description: 'The upload.' }),
    after: Type.Object(Facts.properties, { description: 'The model we made of it.' }),
    previewBytes: Type.Optional(
      Type.Integer({ description: 'Bytes of the small likeness that shows first.' }),
    ),
    steps: Type.Array(Step, { description: 'What was done, and how long it took.' }),
    warnings: Type.Array(Warning, {
      description: 'What the format could not carry, or what was not read.',
    }),
  },
  { description: 'What was done to the upload.' },
);
export type Report = Static<typeof Report>;

const Failure = Type.Object(
  {
    code: Type.String({ description: 'As in problem answers; docs/problems explains each.' }),
    detail: Type.String({ description: 'What was wrong, and what would be right.' }),
    revision: Type.Integer({ description: 'The revision that failed.' }),
  },
  { description: 'Why the last upload could not be made into a model.' },
);

const Progress = Type.Object(
  {
    step: Type.String({ description: 'The step that runs, by its name.' }),
    percent: Type.Integer({ minimum: 0, maximum: 100, description: 'Of all steps together.' }),
  },
  { description: 'How far the last upload is, while it is processed.' },
);
export type Progress = Static<typeof Progress>;

const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const Status = Type.Enum(['queued', 'processing', 'ready', 'failed'], {
  description:
    'Where the last upload stands. Embeds show the revision named in `revision`, whatever this says.',
});

/** A design as the API shows it. */
export const DesignView = Type.Object({
  id: Type.String({ pattern: UUID }),
  uri: Type.String({ examples: ['cloche:design:8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55'] }),
  name: Type.String(),
  description: Type.String(),
  status: Status,
  revision: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The number of the revision that embeds show; null before the first is ready.',
  }),
  stats: orNull(Stats),
  report: orNull(Report),
  progress: orNull(Progress),
  problem: orNull(Failure),
  createdAt: Time,
  updatedAt: Time,
});
export type DesignView = Static<typeof DesignView>;

/** What may change in a design without a new file. */
export const DesignChange = Type.Object(
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
export type DesignChange = Static<typeof DesignChange>;

/** A page of designs. */
export const DesignPage = Type.Object({
  items: Type.Array(DesignView),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
});

/** One upload of a design. */
export const RevisionView = Type.Object({
  number: Type.Integer(),
  status: Status,
  shown: Type.Boolean({ description: 'Is it the one that embeds show?' }),
  format: Type.String(),
  bytes: Type.Integer({ description: 'Bytes of the upload.' }),
  sha256: Type.String({ description: 'Of the upload, in hexadecimal.' }),
  createdAt: Time,
});
export type RevisionView = Static<typeof RevisionView>;

/** All revisions of a design, the newest first. */
export const RevisionList = Type.Object({ items: Type.Array(RevisionView) });

import Type, { type Static } from 'typebox';
import { UUID } from './id.ts';

const Time = Type.String({ format: 'date-time' });
const Vector = Type.Array(Type.Number(), { minItems: 3, maxItems: 3 });

const Stats = Type.Object(
  {
    bytes: Type.Integer({ description: 'Bytes of the stored file.' }),
    triangles: Type.Integer({ description: 'Drawn: a mesh used twice counts twice.' }),
    vertices: Type.Integer({ description: 'Stored: a mesh used twice counts once.' }),
    nodes: Type.Integer(),
    meshes: Type.Integer(),
    materials: Type.Integer(),
    textures: Type.Integer(),
    animations: Type.Integer(),
    variants: Type.Integer(),
    bounds: Type.Optional(
      Type.Object({ min: Vector, max: Vector }, { description: 'Metres, Y up.' }),
    ),
    extensions: Type.Array(Type.String(), { description: 'The glTF extensions the file uses.' }),
  },
  { description: 'What the current revision is made of.' },
);

/** A design as the API shows it. */
export const DesignView = Type.Object({
  id: Type.String({ pattern: UUID }),
  uri: Type.String({ examples: ['cloche:design:8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55'] }),
  name: Type.String(),
  description: Type.String(),
  status: Type.Enum(['queued', 'processing', 'ready', 'failed']),
  revision: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The number of the revision that embeds show; null before the first is ready.',
  }),
  stats: Type.Union([Stats, Type.Null()]),
  createdAt: Time,
  updatedAt: Time,
});
export type DesignView = Static<typeof DesignView>;

/** What may change in a design without a new file. */
export const DesignChange = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, examples: ['Oak chair'] })),
    description: Type.Optional(Type.String({ maxLength: 2000 })),
  },
  { additionalProperties: false, minProperties: 1 },
);
export type DesignChange = Static<typeof DesignChange>;

/** A page of designs. */
export const DesignPage = Type.Object({
  items: Type.Array(DesignView),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
});

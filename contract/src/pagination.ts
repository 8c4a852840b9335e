import Type, { type Static } from 'typebox';

/** The query of every route that returns a list. */
export const ListQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 200,
        default: 50,
        description: 'Maximum number of items.',
      }),
    ),
    cursor: Type.Optional(
      Type.String({ maxLength: 200, description: 'The `nextCursor` of the previous page.' }),
    ),
  },
  { additionalProperties: false },
);
export type ListQuery = Static<typeof ListQuery>;

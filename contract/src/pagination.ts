import Type, { type Static } from 'typebox';

/** How a list is asked for, in every room. */
export const ListQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'How many, at most.' }),
    ),
    cursor: Type.Optional(
      Type.String({ maxLength: 200, description: 'The `nextCursor` of the page before.' }),
    ),
  },
  { additionalProperties: false },
);
export type ListQuery = Static<typeof ListQuery>;

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
      Type.String({ maxLength: 1000, description: 'The `nextCursor` of the previous page.' }),
    ),
  },
  { additionalProperties: false },
);
export type ListQuery = Static<typeof ListQuery>;

/** An item of a list that cannot be shown, because its row in the database is damaged. */
export const UnreadableItem = Type.Object({
  id: Type.String(),
  name: Type.String(),
  detail: Type.String({ description: 'What is damaged.' }),
});
export type UnreadableItem = Static<typeof UnreadableItem>;

/** The damaged items of a page. They are not in `items`, and do not hide the others. */
export const UnreadableItems = Type.Array(UnreadableItem, {
  description:
    'Items of this page that cannot be shown, because their row in the database is damaged: usually none. They can be deleted by their id.',
});

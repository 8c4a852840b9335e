import Type, { type Static } from 'typebox';

/** A tag of designs. */
export const DesignTag = Type.Object({
  tag: Type.String(),
  designs: Type.Integer({ description: 'How many designs that the token may read have the tag.' }),
});
export type DesignTag = Static<typeof DesignTag>;

/** A page of tags. */
export const DesignTagList = Type.Object({
  items: Type.Array(DesignTag),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
});
export type DesignTagList = Static<typeof DesignTagList>;

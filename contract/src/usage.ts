import Type, { type Static } from 'typebox';

const createQuota = (stored: string, reserved: string) =>
  Type.Object({
    stored: Type.Integer({ description: stored }),
    reserved: Type.Integer({ description: reserved }),
    limit: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The most of both together. Null: no limit.',
    }),
  });

/** What a user stores, and may store. */
export const Usage = Type.Object({
  user: Type.String({ description: 'The id of the user of the token.' }),
  bytes: createQuota(
    'The bytes of the files that you uploaded, of all revisions of your designs.',
    'The bytes of uploads in progress. One whose length is not known counts as the largest file that is allowed.',
  ),
  designs: createQuota('The number of your designs.', 'Uploads in progress that create designs.'),
});
export type Usage = Static<typeof Usage>;

import Type, { type Static } from 'typebox';

/** The highest quota that an operator can set. */
export const MAX_USER_QUOTA = 999_999_999;

const Limit = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });
const OwnQuota = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0, maximum: MAX_USER_QUOTA }), Type.Null()], { description });

/** An owner of designs, as operators see it. */
export const User = Type.Object({
  id: Type.String({ examples: ['usr_1nB7cX0pLq9sT4vW'] }),
  name: Type.String(),
  operator: Type.Boolean({ description: 'Whether its tokens may manage the service.' }),
  active: Type.Boolean({ description: 'If not, all its tokens are refused, also in embeds.' }),
  createdAt: Type.String({ format: 'date-time' }),
  disabledAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  designs: Type.Integer({ description: 'The number of its designs.' }),
  tokens: Type.Integer({ description: 'The number of its tokens that are not revoked.' }),
  storedBytes: Type.Integer({
    description: 'The bytes of its source files. Counted once a minute at most.',
  }),
  maxMegabytes: OwnQuota('Its own quota in MiB. 0: no limit. Null: that of the service.'),
  maxDesigns: OwnQuota('Its own quota of designs. 0: no limit. Null: that of the service.'),
  limits: Type.Object(
    { bytes: Limit('Null: no limit.'), designs: Limit('Null: no limit.') },
    { description: 'What applies: its own quotas, or those of the service.' },
  ),
});
export type User = Static<typeof User>;

/** A page of users, newest first. */
export const UserList = Type.Object({
  items: Type.Array(User),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
});
export type UserList = Static<typeof UserList>;

/** A link that signs in the browser that opens it, once. */
export const SignInLink = Type.Object({
  url: Type.String({ description: 'The secret part is in the fragment. It is not shown again.' }),
  expiresAt: Type.String({ format: 'date-time' }),
});
export type SignInLink = Static<typeof SignInLink>;

/** Adds a user. */
export const CreateUserRequest = Type.Object(
  {
    name: Type.String({
      maxLength: 100,
      description: '1 to 63 lower-case letters, digits, `-` and `.`; unique.',
      examples: ['anna'],
    }),
  },
  { additionalProperties: false },
);
export type CreateUserRequest = Static<typeof CreateUserRequest>;

/** A new user, and a link that signs it in. */
export const CreatedUser = Type.Object({ ...User.properties, signInLink: SignInLink });
export type CreatedUser = Static<typeof CreatedUser>;

/** Changes a user. What is not given does not change. */
export const UpdateUserRequest = Type.Object(
  {
    active: Type.Optional(
      Type.Boolean({
        description: 'False: all its tokens are refused at once. Nothing is deleted.',
      }),
    ),
    maxMegabytes: Type.Optional(
      OwnQuota('The most MiB of source files. 0: no limit. Null: that of the service.'),
    ),
    maxDesigns: Type.Optional(
      OwnQuota('The most designs. 0: no limit. Null: that of the service.'),
    ),
  },
  { additionalProperties: false, minProperties: 1 },
);
export type UpdateUserRequest = Static<typeof UpdateUserRequest>;

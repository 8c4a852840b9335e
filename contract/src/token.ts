import Type, { type Static } from 'typebox';
import { UUID_PATTERN } from './id.ts';
import { ListQuery, UnreadableItems } from './pagination.ts';

/** What a token may do. No capability implies another. */
export const Capability = Type.Enum(['read', 'write', 'embed'], {
  description:
    '`read`: list and fetch. `write`: create, change and delete designs and tokens. `embed`: show designs.',
});
export type Capability = Static<typeof Capability>;

const Capabilities = Type.Array(Capability, {
  minItems: 1,
  uniqueItems: true,
  examples: [['embed']],
});

const Origins = Type.Array(Type.String({ format: 'origin', examples: ['https://shop.example'] }), {
  maxItems: 20,
  description:
    'The origins that may use the token: `https://shop.example`, `https://*.shop.example`, `http://localhost:*`. A token with only `embed` needs at least one origin.',
  examples: [['https://shop.example']],
});

const Designs = Type.Union(
  [
    Type.Array(Type.String({ pattern: UUID_PATTERN }), {
      minItems: 1,
      maxItems: 100,
      uniqueItems: true,
      examples: [['8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55']],
    }),
    Type.Null(),
  ],
  {
    description:
      'The ids of the designs the token is limited to; null or absent: all designs of its user.',
    examples: [['8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55'], null],
  },
);

const ExpiresAt = Type.Union(
  [Type.String({ format: 'date-time', examples: ['2027-01-01T00:00:00Z'] }), Type.Null()],
  {
    description:
      'When the token expires: ISO 8601 with a time zone, in the future, `9999-12-31T23:59:59.999Z` at the latest. Digits after the milliseconds are cut off. Null or absent: never.',
    examples: ['2027-01-01T00:00:00Z', null],
  },
);

const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  format: 'display-name',
  description: 'A name for people, shown in lists.',
  examples: ['shop.example, product pages'],
});

/** The token to create. */
export const CreateTokenRequest = Type.Object(
  {
    capabilities: Capabilities,
    origins: Type.Optional(Origins),
    type: Type.Optional(
      Type.Literal('api', { description: 'Always `api`.', default: 'api', examples: ['api'] }),
    ),
    user: Type.Optional(
      Type.String({
        description:
          'The user of the new token: an id or a name. `~`: the user of the token in the Authorization header. Only the token of an operator may name another user.',
        default: '~',
        examples: ['~'],
      }),
    ),
    name: Type.Optional(Name),
    designs: Type.Optional(Designs),
    expiresAt: Type.Optional(ExpiresAt),
  },
  { additionalProperties: false },
);
export type CreateTokenRequest = Static<typeof CreateTokenRequest>;

/** Changes to a token. Its capabilities and its token string never change. */
export const UpdateTokenRequest = Type.Object(
  {
    name: Type.Optional(
      Type.Union([Name, Type.Null()], { description: 'A name for people. Null: none.' }),
    ),
    origins: Type.Optional(Origins),
    designs: Type.Optional(Designs),
    expiresAt: Type.Optional(ExpiresAt),
  },
  { additionalProperties: false, minProperties: 1 },
);
export type UpdateTokenRequest = Static<typeof UpdateTokenRequest>;

/** How a token is replaced. */
export const RotateTokenRequest = Type.Object(
  {
    gracePeriodSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_592_000,
        default: 86_400,
        description:
          'How long the old token remains valid, unless it expires before: 24 hours if absent, 30 days at most. With 0 it stops working at once.',
        examples: [86_400],
      }),
    ),
  },
  { additionalProperties: false },
);
export type RotateTokenRequest = Static<typeof RotateTokenRequest>;

const nullableTime = (description: string) =>
  Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description });
const nullableId = (description: string) =>
  Type.Union([Type.String(), Type.Null()], { description });

const id = Type.String({ examples: ['tok_3kTMd9Qx0aZ1bY2c'] });
const tokenFields = {
  capabilities: Type.Array(Capability),
  origins: Type.Array(Type.String()),
  type: Type.Literal('api'),
  user: Type.String(),
  name: Type.String(),
  designs: Type.Union([Type.Array(Type.String()), Type.Null()]),
  createdAt: Type.String({ format: 'date-time' }),
  expiresAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  issuedBy: nullableId(
    'The id of the token that created this one; null if it was created on the machine of the service.',
  ),
  replaces: nullableId(
    'The id of the token that this one replaces, if it was created by a rotation.',
  ),
};

/** A token, as returned by the API. It never contains the token string. */
export const Token = Type.Object({
  id,
  ...tokenFields,
  replacedBy: nullableId(
    'The id of the token that replaces this one since its rotation. `expiresAt` is then the end of the grace period.',
  ),
  lastUsedAt: nullableTime('Updated every few seconds, not with every request.'),
  seenInBrowserAt: nullableTime(
    'When a browser last sent this secret token, in a header or in the URL of an embed. If not null, replace the token.',
  ),
  usedFrom: Type.Array(
    Type.Object({ origin: Type.String(), lastUsedAt: Type.String({ format: 'date-time' }) }),
    {
      description:
        'The origins whose pages used the token, latest first, 50 at most. After a rotation: only those that still use it. Updated like `lastUsedAt`. Pages that send no `Referer` are not listed.',
    },
  ),
});
export type Token = Static<typeof Token>;

/** A token that was just created, with its token string. */
export const CreatedToken = Type.Object({
  id,
  token: Type.String({
    description: 'The token string. It is shown only once.',
    examples: ['cloche_pk_…'],
  }),
  ...tokenFields,
});
export type CreatedToken = Static<typeof CreatedToken>;

/** A page of tokens. */
export const TokenList = Type.Object({
  items: Type.Array(Token),
  unreadable: UnreadableItems,
  nextCursor: Type.Union([Type.String(), Type.Null()]),
});
export type TokenList = Static<typeof TokenList>;

/** Selects tokens for a list. */
export const ListTokensQuery = Type.Object(
  {
    ...ListQuery.properties,
    issuedBy: Type.Optional(
      Type.String({
        pattern: '^tok_[0-9A-Za-z]{16}$',
        description: 'Only the tokens that this token created: its id. It may be revoked.',
        examples: ['tok_3kTMd9Qx0aZ1bY2c'],
      }),
    ),
    ancestor: Type.Optional(
      Type.String({
        pattern: '^tok_[0-9A-Za-z]{16}$',
        description:
          'Only the tokens that this token created, the tokens that these created, and so on: its id. Those in between may be revoked.',
        examples: ['tok_3kTMd9Qx0aZ1bY2c'],
      }),
    ),
  },
  { additionalProperties: false },
);

/** How a token is revoked. */
export const RevokeTokenQuery = Type.Object(
  {
    descendants: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Also revokes the tokens that this token created, the tokens that these created, and so on: all or none.',
      }),
    ),
    force: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Revokes the token even if it is the last one that can create others.',
      }),
    ),
  },
  { additionalProperties: false },
);

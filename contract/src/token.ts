import Type, { type Static } from 'typebox';
import { UUID_PATTERN } from './id.ts';

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
    type: Type.Literal('api', { description: 'Always `api`.', examples: ['api'] }),
    user: Type.String({
      description:
        'The user of the new token. `~`: the user of the token in the Authorization header.',
      examples: ['~'],
    }),
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
    name: Type.Optional(Name),
    origins: Type.Optional(Origins),
    designs: Type.Optional(Designs),
    expiresAt: Type.Optional(ExpiresAt),
  },
  { additionalProperties: false, minProperties: 1 },
);
export type UpdateTokenRequest = Static<typeof UpdateTokenRequest>;

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
};

/** A token, as returned by the API. It never contains the token string. */
export const Token = Type.Object({
  id,
  ...tokenFields,
  lastUsedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'Updated every few seconds, not with every request.',
  }),
  seenInBrowserAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'When a browser last sent this secret token. If not null, replace the token.',
  }),
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
  nextCursor: Type.Union([Type.String(), Type.Null()]),
});

import Type, { type Static } from 'typebox';
import { UUID_PATTERN } from './id.ts';

/** What a token may do. None implies another. */
export const Capability = Type.Enum(['read', 'write', 'embed'], {
  description:
    '`read`: list and fetch. `write`: create, change, delete, issue tokens. `embed`: show designs.',
});
export type Capability = Static<typeof Capability>;

const Capabilities = Type.Array(Capability, {
  minItems: 1,
  uniqueItems: true,
  examples: [['embed']],
});

const Origins = Type.Array(Type.String({ examples: ['https://shop.example'] }), {
  maxItems: 20,
  description:
    'Where the token may be used: `https://shop.example`, `https://*.shop.example`, `http://localhost:*`. A token for `embed` alone needs at least one.',
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
    description: 'Ids of the only designs the token reaches; null or absent: all of its user.',
    examples: [['8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55'], null],
  },
);

const ExpiresAt = Type.Union(
  [Type.String({ format: 'date-time', examples: ['2027-01-01T00:00:00Z'] }), Type.Null()],
  {
    description: 'When the token stops working, ISO 8601 with a time zone; null or absent: never.',
    examples: ['2027-01-01T00:00:00Z', null],
  },
);

const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'For people; shown in lists.',
  examples: ['shop.example, product pages'],
});

/** What a client asks for when it wants a token. */
export const CreateTokenRequest = Type.Object(
  {
    capabilities: Capabilities,
    origins: Type.Optional(Origins),
    type: Type.Literal('api', { description: 'Always `api`.', examples: ['api'] }),
    user: Type.String({ description: '`~`: whoever asks.', examples: ['~'] }),
    name: Type.Optional(Name),
    designs: Type.Optional(Designs),
    expiresAt: Type.Optional(ExpiresAt),
  },
  { additionalProperties: false },
);
export type CreateTokenRequest = Static<typeof CreateTokenRequest>;

/** What may change in a token's life. */
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

const tokenFields = {
  id: Type.String({ examples: ['tok_3kTMd9Qx0aZ1bY2c'] }),
  capabilities: Type.Array(Capability),
  origins: Type.Array(Type.String()),
  type: Type.Literal('api'),
  user: Type.String(),
  name: Type.String(),
  designs: Type.Union([Type.Array(Type.String()), Type.Null()]),
  createdAt: Type.String({ format: 'date-time' }),
  expiresAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
};

/** A token as lists show it. The token string itself is never in it. */
export const Token = Type.Object({
  ...tokenFields,
  lastUsedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'Written every few seconds, not with every request.',
  }),
  seenInBrowserAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'When a browser last tried to use this secret token. Replace it if it ever did.',
  }),
});
export type Token = Static<typeof Token>;

/** The answer to a wish: the one time the token string is shown. */
export const CreatedToken = Type.Object({
  id: tokenFields.id,
  token: Type.String({ description: 'Shown here only.', examples: ['cloche_pk_…'] }),
  capabilities: tokenFields.capabilities,
  origins: tokenFields.origins,
  type: tokenFields.type,
  user: tokenFields.user,
  name: tokenFields.name,
  designs: tokenFields.designs,
  createdAt: tokenFields.createdAt,
  expiresAt: tokenFields.expiresAt,
});
export type CreatedToken = Static<typeof CreatedToken>;

/** A page of tokens. */
export const TokenList = Type.Object({
  items: Type.Array(Token),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
});

import Type, { type Static } from 'typebox';
import { DESIGN_URI_PATTERN, UUID_PATTERN } from './id.ts';

/** Stands in the snippet where the token goes: once, and safe in a URL. */
export const TOKEN_PLACEHOLDER = 'CLOCHE_EMBED_TOKEN';

/** Which design to embed. */
export const EmbedRequest = Type.Object(
  {
    uri: Type.String({
      pattern: DESIGN_URI_PATTERN,
      description: 'The URI of a design.',
      examples: ['cloche:design:8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55'],
    }),
  },
  { additionalProperties: false },
);
export type EmbedRequest = Static<typeof EmbedRequest>;

/** The snippet and its parts, for those who ask for JSON. */
export const EmbedSnippet = Type.Object({
  html: Type.String({ description: 'To paste, once the placeholder is replaced by a token.' }),
  src: Type.String({ description: 'The address of the framed document, placeholder included.' }),
  placeholder: Type.Literal(TOKEN_PLACEHOLDER),
  uri: Type.String(),
});
export type EmbedSnippet = Static<typeof EmbedSnippet>;

/** A visit to be judged as the gate would: who would show what, framed by whom. */
export const CheckEmbedRequest = Type.Object(
  {
    token: Type.Optional(Type.String({ maxLength: 200, description: 'The token string, or …' })),
    id: Type.Optional(
      Type.String({ maxLength: 64, description: '… the id of one of your tokens.' }),
    ),
    design: Type.String({
      pattern: UUID_PATTERN,
      examples: ['8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55'],
    }),
    ancestors: Type.Array(Type.String({ maxLength: 300 }), {
      minItems: 1,
      maxItems: 20,
      description: 'The origins of the pages around the embed, the nearest first.',
      examples: [['https://shop.example']],
    }),
  },
  { additionalProperties: false },
);
export type CheckEmbedRequest = Static<typeof CheckEmbedRequest>;

/** Would it show, and if not, why? From the same code as the gate. */
export const CheckEmbedResponse = Type.Object({
  shows: Type.Boolean(),
  code: Type.Union([Type.String(), Type.Null()], {
    description: 'The problem code of the refusal.',
  }),
  detail: Type.String(),
  warnings: Type.Array(Type.String()),
});
export type CheckEmbedResponse = Static<typeof CheckEmbedResponse>;

import Type, { type Static } from 'typebox';
import { DESIGN_URI_PATTERN, UUID_PATTERN } from './id.ts';
import { ViewerOptionsSchema } from './viewer-options-schema.ts';

/** The text in a snippet that the page author replaces with a token. It occurs once and is safe in a URL. */
export const TOKEN_PLACEHOLDER = 'CLOCHE_EMBED_TOKEN';

/** The design to embed. */
export const EmbedRequest = Type.Object(
  {
    uri: Type.String({
      pattern: DESIGN_URI_PATTERN,
      description: 'The URI of the design.',
      examples: ['cloche:design:8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55'],
    }),
    options: Type.Optional(ViewerOptionsSchema),
  },
  { additionalProperties: false },
);
export type EmbedRequest = Static<typeof EmbedRequest>;

/** A snippet and its parts. */
export const EmbedSnippet = Type.Object({
  html: Type.String({
    description: 'The HTML to paste, after replacing the placeholder with a token.',
  }),
  src: Type.String({ description: 'The URL of the framed document, including the placeholder.' }),
  placeholder: Type.Literal(TOKEN_PLACEHOLDER),
  uri: Type.String(),
});
export type EmbedSnippet = Static<typeof EmbedSnippet>;

/** An embed to check: a token, a design and the pages around the embed. */
export const CheckEmbedRequest = Type.Object(
  {
    token: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'The token string. Send either this or `tokenId`.',
      }),
    ),
    tokenId: Type.Optional(
      Type.String({ maxLength: 64, description: 'The id of one of your tokens.' }),
    ),
    design: Type.String({
      pattern: UUID_PATTERN,
      examples: ['8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55'],
    }),
    ancestors: Type.Array(Type.String({ maxLength: 300 }), {
      minItems: 1,
      maxItems: 20,
      description: 'The origins of the pages around the embed, innermost first.',
      examples: [['https://shop.example']],
    }),
    hidesReferrer: Type.Optional(
      Type.Boolean({
        description:
          'Whether the request has no Referer, as with `referrerpolicy="no-referrer"` on the iframe. Default: false.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type CheckEmbedRequest = Static<typeof CheckEmbedRequest>;

/** Whether the gate allows the embed. If not, `code` and `detail` say why. */
export const CheckEmbedResponse = Type.Object({
  allowed: Type.Boolean({ description: 'Whether the design is shown.' }),
  code: Type.Union([Type.String(), Type.Null()], {
    description: 'The code of the problem; null if the embed is allowed.',
  }),
  detail: Type.String(),
  warnings: Type.Array(Type.String(), {
    description: 'Likely mistakes in the list of origins.',
  }),
});
export type CheckEmbedResponse = Static<typeof CheckEmbedResponse>;

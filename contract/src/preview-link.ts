import Type, { type Static } from 'typebox';

/** The body of a request for a preview link. */
export const CreatePreviewLinkRequest = Type.Object(
  {
    revision: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'The number of the revision to show; it must be ready. By default, the one that embeds show.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** A link that shows one design for some minutes, on a page of the service itself. */
export const PreviewLink = Type.Object({
  url: Type.String({
    description: 'The URL of a page of this service that shows the design. Open it in a browser.',
  }),
  src: Type.String({
    description:
      'The URL of the framed document in that page, for an iframe on another page of this service.',
  }),
  expiresAt: Type.String({ format: 'date-time' }),
});
export type PreviewLink = Static<typeof PreviewLink>;

import Type, { type Static } from 'typebox';
import { TEXTURE_SIZES } from './texture-sizes.ts';
import type { ViewerOptions } from './viewer-options.ts';
import { ViewerOptionsSchema } from './viewer-options-schema.ts';

/** The display name of a design. */
export const DesignName = Type.String({
  minLength: 1,
  maxLength: 200,
  format: 'display-name',
  description: 'The name of the design, for people.',
  examples: ['Oak chair'],
});

const Description = Type.String({
  maxLength: 2000,
  description: 'Text for people, and for visitors who cannot see the design.',
});

const Tags = Type.Array(
  Type.String({ minLength: 1, maxLength: 60, format: 'display-name', examples: ['chair'] }),
  {
    maxItems: 20,
    uniqueItems: true,
    description: 'Words by which designs can be found. Upper and lower case are different tags.',
    examples: [['chair', 'oak']],
  },
);

const ExternalId = Type.String({
  minLength: 1,
  maxLength: 200,
  format: 'display-name',
  description: 'The id of the design in another system. Unique among your designs.',
  examples: ['SKU-4711'],
});

const Metadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: 50,
  propertyNames: { type: 'string', minLength: 1, maxLength: 60 },
  additionalProperties: { type: 'string', maxLength: 500 },
  description: 'Up to 50 pairs of a key (60 characters) and a text (500 characters) of your own.',
  examples: [{ collection: 'autumn 2026' }],
});

/** The range of a triangle budget; `CLOCHE_MAX_TRIANGLES` has the same. */
export const TRIANGLE_BUDGET_RANGE = { minimum: 1000, maximum: 50_000_000 };

const MaxTriangles = Type.Integer({
  ...TRIANGLE_BUDGET_RANGE,
  description:
    'A model with more triangles is simplified. Without it, the default of the service applies. A change applies to models uploaded after it.',
  examples: [500_000],
});

const MaxTextureSize = Type.Unsafe<(typeof TEXTURE_SIZES)[number]>({
  type: 'integer',
  enum: TEXTURE_SIZES,
  description:
    'The longest side of a texture, in pixels. A larger texture is made smaller, a smaller one stays as it is. Without it, the default of the service applies. A change applies to models uploaded after it.',
  examples: [4096],
});

const Shared = Type.Boolean({
  description:
    'Whether anyone with the link may see the design, without a token: on its share page, `/share/{id}`, and on any page that embeds that link. Default: false.',
  examples: [true],
});

const Viewer = Type.Unsafe<ViewerOptions>({
  ...ViewerOptionsSchema,
  description:
    'The options of the embeds of the design. An option in the URL of an iframe takes precedence.',
  examples: [{ cameraOrbit: '30deg 75deg 105%', background: '#f4f1ec' }],
});

/** The fields of a design that its owner chooses, as they are stored and returned. */
export const designFieldSchemas = {
  name: DesignName,
  description: Description,
  tags: Tags,
  externalId: ExternalId,
  metadata: Metadata,
  maxTriangles: MaxTriangles,
  maxTextureSize: MaxTextureSize,
  shared: Shared,
  viewer: Viewer,
};

/** The fields of a new design. */
export const NewDesignFields = Type.Object(
  {
    name: Type.Optional(DesignName),
    description: Type.Optional(Description),
    tags: Type.Optional(Tags),
    externalId: Type.Optional(ExternalId),
    metadata: Type.Optional(Metadata),
    maxTriangles: Type.Optional(MaxTriangles),
    maxTextureSize: Type.Optional(MaxTextureSize),
    shared: Type.Optional(Shared),
    viewer: Type.Optional(Viewer),
  },
  { additionalProperties: false },
);
export type NewDesignFields = Static<typeof NewDesignFields>;

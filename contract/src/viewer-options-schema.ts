import Type from 'typebox';
import { optionAliases } from './option-aliases.ts';
import {
  toParameterName,
  VIEWER_OPTION_NAMES,
  type ViewerOptionDefinition,
  type ViewerOptionName,
  type ViewerOptions,
  viewerOptions,
} from './viewer-options.ts';

/** In code units: a code point has at most two. The formats check the exact length. */
const MAX_TEXT_LENGTH = 1000;

/**
 * The options of an embed in a request. The formats of the values are named like the options in URLs; those of
 * `parse-option.ts` check them.
 */
export const ViewerOptionsSchema = Type.Unsafe<ViewerOptions>({
  type: 'object',
  additionalProperties: false,
  properties: createProperties((name) => ({ format: toParameterName(name) })),
  description:
    'Options of the viewer. In the URL of the iframe their names are in kebab-case, such as `camera-orbit`.',
  // The parameters of Sketchfab, for the messages about unknown fields.
  'x-aliases': Object.fromEntries(
    Object.entries(optionAliases).map(([alias, { names }]) => [alias, names[0]]),
  ),
});

/** The options of an embed in a response. */
export const ViewerOptionsResponse = Type.Unsafe<ViewerOptions>({
  type: 'object',
  properties: createProperties(() => ({})),
});

function createProperties(toTextKeywords: (name: ViewerOptionName) => object) {
  return Object.fromEntries(
    VIEWER_OPTION_NAMES.map((name) => {
      const definition: ViewerOptionDefinition = viewerOptions[name];
      const { description, default: defaultValue, example } = definition;
      const keywords = {
        description: `${description} Default: ${defaultValue}.`,
        examples: [example],
      };
      return [name, toSchema(definition, keywords, toTextKeywords(name))];
    }),
  );
}

function toSchema(definition: ViewerOptionDefinition, keywords: object, textKeywords: object) {
  const { kind } = definition;
  if (kind === 'boolean') return { type: 'boolean', ...keywords };
  if (kind === 'choice') return { type: 'string', enum: definition.values, ...keywords };
  if (kind === 'number') {
    const { minimum, maximum } = definition;
    return { type: 'number', minimum, maximum, ...keywords };
  }
  return { type: 'string', maxLength: MAX_TEXT_LENGTH, ...textKeywords, ...keywords };
}

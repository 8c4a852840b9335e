import type { JsonNode } from '../../../validation/json-node.ts';
import type { GltfAccessor } from './accessor.ts';
import { FLOAT } from './element-types.ts';
import { findExtension } from './extensions.ts';
import type { ValidationContext } from './validation-context.ts';

/** The accessor type of each animated path. Weights have one number for each morph target. */
const PATH_TYPES: Readonly<Record<string, string>> = {
  translation: 'VEC3',
  rotation: 'VEC4',
  scale: 'VEC3',
  weights: 'SCALAR',
};

type AnimationSampler = {
  json: JsonNode;
  input: GltfAccessor;
  output: GltfAccessor;
  valuesPerKey: number;
};

/** Checks samplers and channels, and counts the memory they take in the viewer. */
export function validateAnimations(context: ValidationContext): void {
  for (const animation of context.document.animations) {
    const samplers = animation
      .get('samplers')
      .items()
      .map((json) => parseSampler(json, context));
    for (const { input } of samplers) context.scanner.requestExtent(input);
    for (const channel of animation.get('channels').items()) {
      validateChannel(channel, samplers, context);
    }
  }
}

function parseSampler(json: JsonNode, { accessors }: ValidationContext): AnimationSampler {
  const input = json.get('input').resolveIndex(accessors, 'accessors');
  const output = json.get('output').resolveIndex(accessors, 'accessors');
  const interpolation = json.find('interpolation')?.oneOf('LINEAR', 'STEP', 'CUBICSPLINE');
  if (input.type !== 'SCALAR' || input.componentType !== FLOAT) {
    json.get('input').fail('accessor-type', 'must be an accessor of scalar floats');
  }
  return { json, input, output, valuesPerKey: interpolation === 'CUBICSPLINE' ? 3 : 1 };
}

function validateChannel(
  channel: JsonNode,
  samplers: AnimationSampler[],
  { document, budget }: ValidationContext,
): void {
  const { json, input, output, valuesPerKey } = channel
    .get('sampler')
    .resolveIndex(samplers, 'samplers');
  // The viewer converts integers to floats for each channel, even if several share a sampler.
  budget.add('geometryBytes', 4 * output.count * output.componentCount, channel);

  const target = channel.get('target');
  target.find('node')?.resolveIndex(document.nodes, 'nodes');
  // The viewer ignores such a channel, whose target is a JSON pointer.
  if (findExtension(target, 'KHR_animation_pointer') !== undefined) return;
  const path = target.get('path').oneOf('translation', 'rotation', 'scale', 'weights');

  if (output.type !== PATH_TYPES[path]) {
    json.fail(
      'accessor-type',
      `has an output of type ${output.type}; for ${path} it must be ${PATH_TYPES[path]}`,
    );
  }
  const keys = input.count * valuesPerKey;
  const fits = path === 'weights' ? output.count % keys === 0 : output.count === keys;
  if (!fits) json.fail('count', `has ${input.count} times and ${output.count} values`);
}

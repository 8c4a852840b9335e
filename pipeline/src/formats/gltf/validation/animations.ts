import type { JsonNode } from '../../../validation/json-node.ts';
import type { GltfAccessor } from './accessor.ts';
import { FLOAT } from './element-types.ts';
import { findExtension } from './extensions.ts';
import type { ValidationContext } from './validation-context.ts';

/** Number of components of what each path animates; weights have one for each morph target. */
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

export function validateAnimations(survey: ValidationContext): void {
  for (const animation of survey.document.animations) {
    const samplers = animation
      .get('samplers')
      .items()
      .map((part) => parseSampler(part, survey));
    for (const { input } of samplers) survey.scanner.request(input);
    for (const channel of animation.get('channels').items()) {
      validateChannel(channel, samplers, survey);
    }
  }
}

function parseSampler(json: JsonNode, { accessors }: ValidationContext): AnimationSampler {
  const input = json.get('input').resolveIndex(accessors, 'accessors');
  const output = json.get('output').resolveIndex(accessors, 'accessors');
  const how = json.find('interpolation')?.oneOf('LINEAR', 'STEP', 'CUBICSPLINE');
  if (input.type !== 'SCALAR' || input.componentType !== FLOAT) {
    json.get('input').fail('accessor-type', 'is not an accessor of single floats');
  }
  return { json, input, output, valuesPerKey: how === 'CUBICSPLINE' ? 3 : 1 };
}

function validateChannel(
  channel: JsonNode,
  samplers: AnimationSampler[],
  { document, budget }: ValidationContext,
): void {
  const { json, input, output, valuesPerKey } = channel
    .get('sampler')
    .resolveIndex(samplers, 'samplers');
  // The viewer makes floats of integers for every channel, shared or not.
  budget.add('geometryBytes', 4 * output.count * output.componentCount, channel);

  const target = channel.get('target');
  target.find('node')?.resolveIndex(document.nodes, 'nodes');
  // Such a channel names what it moves in another way, and the viewer passes it over.
  if (findExtension(target, 'KHR_animation_pointer') !== undefined) return;
  const path = target.get('path').oneOf('translation', 'rotation', 'scale', 'weights');

  if (output.type !== PATH_TYPES[path]) {
    json.fail('accessor-type', `has an output of ${output.type} for a ${path}`);
  }
  const keys = input.count * valuesPerKey;
  const fits = path === 'weights' ? output.count % keys === 0 : output.count === keys;
  if (!fits) json.fail('count', `has ${input.count} times and ${output.count} values`);
}

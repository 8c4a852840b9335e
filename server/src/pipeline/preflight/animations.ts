import type { Accessor } from './accessor.ts';
import { FLOAT } from './element.ts';
import { findExtension } from './extensions.ts';
import type { Part } from './part.ts';
import type { Survey } from './survey.ts';

/** Number of components of what each path animates; weights have one for each morph target. */
const PATHS: Readonly<Record<string, string>> = {
  translation: 'VEC3',
  rotation: 'VEC4',
  scale: 'VEC3',
  weights: 'SCALAR',
};

type Sampler = { part: Part; input: Accessor; output: Accessor; perKey: number };

export function checkAnimations(survey: Survey): void {
  for (const animation of survey.document.animations) {
    const samplers = animation
      .get('samplers')
      .items()
      .map((part) => readSampler(part, survey));
    for (const { input } of samplers) survey.scans.ask(input);
    for (const channel of animation.get('channels').items()) {
      checkChannel(channel, samplers, survey);
    }
  }
}

function readSampler(part: Part, { accessors }: Survey): Sampler {
  const input = part.get('input').pick(accessors, 'accessors');
  const output = part.get('output').pick(accessors, 'accessors');
  const how = part.find('interpolation')?.choice('LINEAR', 'STEP', 'CUBICSPLINE');
  if (input.type !== 'SCALAR' || input.componentType !== FLOAT) {
    part.get('input').fail('accessor-type', 'is not an accessor of single floats');
  }
  return { part, input, output, perKey: how === 'CUBICSPLINE' ? 3 : 1 };
}

function checkChannel(channel: Part, samplers: Sampler[], { document, tally }: Survey): void {
  const { part, input, output, perKey } = channel.get('sampler').pick(samplers, 'samplers');
  // The viewer makes floats of integers for every channel, shared or not.
  tally.add('geometryBytes', 4 * output.count * output.components, channel);

  const target = channel.get('target');
  target.find('node')?.pick(document.nodes, 'nodes');
  // Such a channel names what it moves in another way, and the viewer passes it over.
  if (findExtension(target, 'KHR_animation_pointer') !== undefined) return;
  const path = target.get('path').choice('translation', 'rotation', 'scale', 'weights');

  if (output.type !== PATHS[path]) {
    part.fail('accessor-type', `has an output of ${output.type} for a ${path}`);
  }
  const keys = input.count * perKey;
  const fits = path === 'weights' ? output.count % keys === 0 : output.count === keys;
  if (!fits) part.fail('count', `has ${input.count} times and ${output.count} values`);
}

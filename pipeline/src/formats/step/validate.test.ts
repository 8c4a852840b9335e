import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeStep } from '../../../testing/formats/step.ts';
import { nestStepParts } from '../../../testing/hostile/step-assemblies.ts';
import { createBufferReader } from '../../validation/byte-reader.ts';
import { VALIDATION_LIMITS, type ValidationLimits } from '../../validation/limits.ts';
import { validateStep } from './validate.ts';

const validate = (file: Buffer, limits: Partial<ValidationLimits> = {}) =>
  validateStep(createBufferReader(file), { ...VALIDATION_LIMITS, ...limits });

/** Adds a use of the last part by the first one. */
function addCycle(file: Buffer): Buffer {
  const text = file.toString();
  const definitions = [...text.matchAll(/(#\d+)=PRODUCT_DEFINITION\(/g)].map(([, id]) => id);
  const use = `#999999=NEXT_ASSEMBLY_USAGE_OCCURRENCE('','','',${definitions[0]},${definitions.at(-2)},$);`;
  return Buffer.from(text.replace('ENDSEC;\nEND-ISO', `${use}\nENDSEC;\nEND-ISO`));
}

/** Assemblies that each use the one before once. */
const nestOnce = (depth: number) => nestStepParts(depth, 'assemblies', { uses: 1 });

describe('a STEP file of a few kilobytes', () => {
  const refused: [name: string, make: () => Buffer, reason: string][] = [
    ['24 assemblies, each with the one before twice', () => nestStepParts(24), 'nodes'],
    ['2000 assemblies, each with the one before twice', () => nestStepParts(2000), 'nodes'],
    ['2000 assemblies, each with the one before', () => nestOnce(2000), 'node-depth'],
    ['24 mapped items', () => nestStepParts(24, 'mapped items'), 'nodes'],
  ];
  for (const [name, make, reason] of refused) {
    it(`is refused by counting: ${name}`, async () => {
      await assert.rejects(validate(make()), { code: 'design.too-complex', reason });
    });
  }

  it('is refused if its parts have too many faces together', async () => {
    const file = nestStepParts(3);
    await validate(file, { faces: 6 * 8 });
    await assert.rejects(validate(file, { faces: 6 * 8 - 1 }), { reason: 'faces' });
  });

  it('is refused if an assembly contains itself', async () => {
    await assert.rejects(validate(addCycle(nestStepParts(3))), {
      code: 'design.unreadable',
      reason: 'cycle',
    });
  });
});

describe('what a STEP file decodes to', () => {
  it('grows with the number of times that a part is used', async () => {
    const expandedBytes = async (file: Buffer) => (await validate(file)).decodedBytes - file.length;
    const [part, pair, four] = await Promise.all(
      [makeStep(), nestStepParts(1), nestStepParts(2)].map(expandedBytes),
    );
    assert.deepEqual([part, pair, four], [38_912, 110_592, 253_952]);
  });
});

describe('two representations of the same thing', () => {
  it('are counted, with a chain of a hundred thousand in each order', async () => {
    for (const order of [1, -1]) {
      const ids = Array.from({ length: 100_000 }, (_, index) => 1_000_000 + index);
      const relations = ids
        .slice(1)
        .map((id) => `SHAPE_REPRESENTATION_RELATIONSHIP('','',#${id - 1},#${id})`);
      const shapes = ids.map((id) => `#${id}=SHAPE_REPRESENTATION('',(),$);`);
      const lines = relations.map((text, index) => `#${2_000_000 + index}=${text};`);
      if (order === -1) lines.reverse();
      const text = makeStep()
        .toString()
        .replace('ENDSEC;\nEND-ISO', `${[...shapes, ...lines].join('\n')}\nENDSEC;\nEND-ISO`);
      await validate(Buffer.from(text), { faces: 6 });
    }
  });

  it('mean the shape of the part', async () => {
    const text = makeStep().toString();
    const [, shape] = /(#\d+)=ADVANCED_BREP_SHAPE_REPRESENTATION/.exec(text) ?? [];
    const separated = text
      .replace(/(SHAPE_DEFINITION_REPRESENTATION\(#\d+),#\d+\)/, '$1,#999)')
      .replace(
        'ENDSEC;\nEND-ISO',
        `#999=SHAPE_REPRESENTATION('',(),$);\n#998=SHAPE_REPRESENTATION_RELATIONSHIP('','',#999,${shape});\nENDSEC;\nEND-ISO`,
      );
    await assert.rejects(validate(Buffer.from(separated), { faces: 5 }), { reason: 'faces' });
  });
});

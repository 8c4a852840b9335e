import type { Accessor } from './accessor.ts';
import { FLOAT } from './element.ts';
import type { Part } from './part.ts';
import type { Survey } from './survey.ts';

export type Skin = {
  readonly part: Part;
  /** Indices of nodes. */
  readonly joints: readonly number[];
  readonly inverseBindMatrices: Accessor | undefined;
};

export function readSkins({ document, accessors, scans }: Survey): Skin[] {
  return document.skins.map((part) => {
    const joints = part.get('joints').items();
    if (joints.length === 0) part.fail('length', 'has no joints');
    for (const joint of joints) joint.pick(document.nodes, 'nodes');
    part.find('skeleton')?.pick(document.nodes, 'nodes');

    const matrices = part.find('inverseBindMatrices')?.pick(accessors, 'accessors');
    if (matrices !== undefined) {
      if (matrices.type !== 'MAT4' || matrices.componentType !== FLOAT) {
        part.fail('accessor-type', 'has inverseBindMatrices that are not 4 × 4 floats');
      }
      if (matrices.count < joints.length) {
        part.fail('count', `has ${joints.length} joints and ${matrices.count} inverseBindMatrices`);
      }
      scans.ask(matrices);
    }
    return { part, joints: joints.map((j) => j.integer()), inverseBindMatrices: matrices };
  });
}

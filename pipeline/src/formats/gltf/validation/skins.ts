import type { JsonNode } from '../../../validation/json-node.ts';
import type { GltfAccessor } from './accessor.ts';
import { FLOAT } from './element-types.ts';
import type { ValidationContext } from './validation-context.ts';

/** A validated skin. */
export type GltfSkin = {
  readonly json: JsonNode;
  /** Indices of nodes. */
  readonly jointNodes: readonly number[];
  readonly inverseBindMatrices: GltfAccessor | undefined;
};

/** Reads the skins, and requests scans of their bind matrices. */
export function parseSkins({ document, accessors, scanner }: ValidationContext): GltfSkin[] {
  return document.skins.map((json) => {
    const joints = json.get('joints').items();
    if (joints.length === 0) json.fail('length', 'has no joints');
    for (const joint of joints) joint.resolveIndex(document.nodes, 'nodes');
    json.find('skeleton')?.resolveIndex(document.nodes, 'nodes');

    const matrices = json.find('inverseBindMatrices')?.resolveIndex(accessors, 'accessors');
    if (matrices !== undefined) {
      if (matrices.type !== 'MAT4' || matrices.componentType !== FLOAT) {
        json.fail('accessor-type', 'has inverseBindMatrices that are not 4 × 4 matrices of floats');
      }
      if (matrices.count < joints.length) {
        json.fail(
          'count',
          `has ${joints.length} joints, but ${matrices.count} inverseBindMatrices`,
        );
      }
      scanner.requestExtent(matrices);
    }
    return {
      json,
      jointNodes: joints.map((joint) => joint.integer()),
      inverseBindMatrices: matrices,
    };
  });
}

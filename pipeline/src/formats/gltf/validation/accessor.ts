import type { JsonNode } from '../../../validation/json-node.ts';
import type { ByteRegion } from './block-reader.ts';
import type { ComponentType, ElementType } from './element-types.ts';

/** Elements stored in the file, one every `stride` bytes. */
export type ElementRange = {
  readonly region: ByteRegion;
  /** In bytes from the start of the region. */
  readonly offset: number;
  readonly stride: number;
  readonly count: number;
  readonly componentCount: number;
  readonly componentType: ComponentType;
};

/** A validated accessor. */
export type GltfAccessor = {
  readonly json: JsonNode;
  readonly type: ElementType;
  readonly componentType: ComponentType;
  readonly normalized: boolean;
  readonly count: number;
  readonly componentCount: number;
  /** Size of the decoded elements. */
  readonly decodedBytes: number;
  /** `zeros`: the accessor has no buffer view, so that all elements are zero. */
  readonly storage:
    | { kind: 'stored'; range: ElementRange }
    | { kind: 'compressed' }
    | { kind: 'zeros' };
  readonly sparse: { readonly indices: ElementRange; readonly values: ElementRange } | undefined;
  readonly min: readonly number[] | undefined;
  readonly max: readonly number[] | undefined;
};

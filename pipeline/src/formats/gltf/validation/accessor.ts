import type { JsonNode } from '../../../validation/json-node.ts';
import type { ByteRegion } from './block-reader.ts';
import type { ComponentType, ElementType } from './element-types.ts';

/** Elements in the file, one every `stride` bytes. */
export type ElementRange = {
  readonly region: ByteRegion;
  /** Bytes from the start of the region. */
  readonly offset: number;
  readonly stride: number;
  readonly count: number;
  readonly componentCount: number;
  readonly componentType: ComponentType;
};

export type GltfAccessor = {
  readonly json: JsonNode;
  readonly type: ElementType;
  readonly componentType: ComponentType;
  readonly normalized: boolean;
  readonly count: number;
  readonly componentCount: number;
  /** Bytes once decoded. */
  readonly decodedBytes: number;
  /** `values`: in the file; `packed`: compressed there; `empty`: nowhere, all zeros. */
  readonly storage:
    | { kind: 'stored'; range: ElementRange }
    | { kind: 'compressed' }
    | { kind: 'zeros' };
  readonly sparse: { readonly indices: ElementRange; readonly values: ElementRange } | undefined;
  readonly min: readonly number[] | undefined;
  readonly max: readonly number[] | undefined;
};

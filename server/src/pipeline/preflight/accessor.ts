import type { ComponentType, ElementType } from './element.ts';
import type { Part } from './part.ts';
import type { Region } from './reader.ts';

/** Elements in the file, one every `stride` bytes. */
export type Range = {
  readonly region: Region;
  /** Bytes from the start of the region. */
  readonly offset: number;
  readonly stride: number;
  readonly count: number;
  readonly components: number;
  readonly componentType: ComponentType;
};

export type Accessor = {
  readonly part: Part;
  readonly type: ElementType;
  readonly componentType: ComponentType;
  readonly normalized: boolean;
  readonly count: number;
  readonly components: number;
  /** Bytes once decoded. */
  readonly bytes: number;
  /** `values`: in the file; `packed`: compressed there; `empty`: nowhere, all zeros. */
  readonly base: { kind: 'values'; range: Range } | { kind: 'packed' } | { kind: 'empty' };
  readonly sparse: { readonly indices: Range; readonly values: Range } | undefined;
  readonly min: readonly number[] | undefined;
  readonly max: readonly number[] | undefined;
};

import type { Design, UpdateDesignRequest } from '@cloche/contract/design';
import { TEXTURE_SIZES } from '@cloche/contract/texture-sizes';

/** A pair of the metadata in the form. The id stays the same while its key is edited. */
export type MetadataRow = { id: number; key: string; value: string };

/** The fields of a design as they are edited. */
export type DesignFormValues = {
  name: string;
  description: string;
  tags: readonly string[];
  /** The text in the input for another tag. It is added when the design is saved. */
  newTag: string;
  externalId: string;
  maxTriangles: string;
  /** Empty: the default of the service. */
  maxTextureSize: string;
  metadata: readonly MetadataRow[];
  shared: boolean;
};

export type DesignFieldName = keyof DesignFormValues;

export function toFormValues(design: Design): DesignFormValues {
  const { name, description, tags, externalId, metadata, shared } = design;
  const { maxTriangles, maxTextureSize } = design;
  return {
    name,
    description,
    tags,
    newTag: '',
    externalId: externalId ?? '',
    maxTriangles: maxTriangles === null ? '' : String(maxTriangles),
    maxTextureSize: maxTextureSize === null ? '' : String(maxTextureSize),
    metadata: Object.entries(metadata).map(([key, value], id) => ({ id, key, value })),
    shared,
  };
}

/** The service checks the values; a number that is none is sent as it is, for its message. */
export function parseFormValues(values: DesignFormValues): UpdateDesignRequest {
  const { name, description, externalId, maxTriangles, metadata, shared } = values;
  const textureSize = TEXTURE_SIZES.find((size) => String(size) === values.maxTextureSize);
  return {
    name,
    description,
    tags: [...withNewTag(values)],
    externalId: externalId.trim() === '' ? null : externalId,
    maxTriangles: maxTriangles.trim() === '' ? null : toNumber(maxTriangles),
    maxTextureSize: textureSize ?? null,
    metadata: Object.fromEntries(
      metadata.filter((row) => !isEmptyRow(row)).map(({ key, value }) => [key, value]),
    ),
    shared,
  };
}

/** The tags with the one that is being typed. */
export function withNewTag({ tags, newTag }: Pick<DesignFormValues, 'tags' | 'newTag'>) {
  const tag = newTag.trim();
  return tag === '' || tags.includes(tag) ? tags : [...tags, tag];
}

/** The fields that differ. */
export function pickChanges(
  values: DesignFormValues,
  before: DesignFormValues,
): Partial<DesignFormValues> {
  const changed = Object.entries(values).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as DesignFieldName]),
  );
  return Object.fromEntries(changed);
}

/** A key that two rows have: only one of them could be stored. */
export function findRepeatedKey(rows: readonly MetadataRow[]): string | undefined {
  const keys = rows.filter((row) => !isEmptyRow(row)).map(({ key }) => key);
  return keys.find((key, index) => keys.indexOf(key) !== index);
}

/** A row that was added and not filled in. */
function isEmptyRow({ key, value }: MetadataRow): boolean {
  return key === '' && value === '';
}

/** Half a triangle is no valid number of triangles, so the service explains what is. */
function toNumber(text: string): number {
  const number = Number(text);
  return Number.isFinite(number) ? number : 0.5;
}

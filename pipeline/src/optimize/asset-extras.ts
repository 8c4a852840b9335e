import type { Document } from '@gltf-transform/core';

/** Sets a member of `asset.extras`, where the viewer finds it. Undefined: removes the one of the source file. */
export function setAssetExtra(document: Document, member: string, value: object | undefined): void {
  const asset = document.getRoot().getAsset();
  // Any JSON may be there.
  const isObject = typeof asset.extras === 'object' && !Array.isArray(asset.extras);
  const { [member]: _, ...others } = ((isObject && asset.extras) || {}) as Record<string, unknown>;
  const extras = { ...others, ...(value && { [member]: value }) };
  if (Object.keys(extras).length > 0) asset.extras = extras;
  else delete asset.extras;
}

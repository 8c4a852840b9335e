import type { ProcessingWarning } from '@cloche/contract/design';
import { RENDERED_GLTF_EXTENSIONS } from '@cloche/contract/gltf-extensions';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import type { GLTF } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import { KHRMeshoptCompression } from './khr-meshopt-compression.ts';
import { CONVERTED_EXTENSIONS, DECODED_EXTENSIONS } from './validation/extensions.ts';

/** Extensions that the viewer renders, or whose content the import converts to what it renders. */
const HANDLED_EXTENSIONS: ReadonlySet<string> = new Set([
  ...RENDERED_GLTF_EXTENSIONS,
  ...DECODED_EXTENSIONS,
  ...CONVERTED_EXTENSIONS,
]);
/** The extensions that the glTF library reads. The viewer does not render all of them. */
const READABLE_EXTENSIONS: ReadonlySet<string> = new Set(
  [...ALL_EXTENSIONS, KHRMeshoptCompression].map(({ EXTENSION_NAME }) => EXTENSION_NAME),
);

/** Warns about each extension of a glTF that is ignored or that the viewer does not render. */
export function collectGltfWarnings({ extensionsUsed = [] }: GLTF.IGLTF): ProcessingWarning[] {
  return extensionsUsed.flatMap((name): ProcessingWarning[] => {
    const extension = `The glTF extension ${quoteUntrusted(String(name))}`;
    if (!READABLE_EXTENSIONS.has(name))
      return [{ code: 'extension.ignored', message: `${extension} was ignored.` }];
    if (HANDLED_EXTENSIONS.has(name)) return [];
    return [
      { code: 'extension.not-rendered', message: `${extension} is not rendered by the viewer.` },
    ];
  });
}

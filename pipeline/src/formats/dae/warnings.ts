import type { ProcessingWarning } from '@cloche/contract/design';
import type { Document } from '@gltf-transform/core';
import { ignoredWarning } from '../../mesh/import-warnings.ts';
import type { XmlTag } from '../../validation/xml.ts';
import {
  collectCameraAndLightWarnings,
  collectTextureWarnings,
  findKind,
  TEXTURE_KINDS,
} from '../assimp/warnings.ts';

/** Elements whose presence shows that the file uses a feature. */
const FEATURE_ELEMENTS: ReadonlySet<string> = new Set([
  'instance_camera',
  'instance_light',
  'morph',
  'spline',
  'brep',
]);

/** Elements whose textures the library ignores. It reads bump maps. */
const TEXTURE_SLOTS: ReadonlySet<string> = new Set([
  'specular',
  'shininess',
  'reflective',
  'transparent',
  'displacement',
]);

/** Visits the tags of a COLLADA file and warns of features that the converted document lacks. */
export class DaeFeatureDetector {
  readonly #elements = new Set<string>();
  readonly #textureKinds = new Set<string>();
  /** The texture slot that contains the current tag. */
  #slot: { name: string; kind: string } | undefined;

  visit(tag: XmlTag): void {
    if (tag.isEndTag) {
      if (tag.localName === this.#slot?.name) this.#slot = undefined;
      return;
    }
    if (FEATURE_ELEMENTS.has(tag.localName)) this.#elements.add(tag.localName);
    if (tag.localName === 'texture' && this.#slot) this.#textureKinds.add(this.#slot.kind);
    const kind = TEXTURE_SLOTS.has(tag.localName)
      ? findKind(TEXTURE_KINDS, tag.localName)
      : undefined;
    if (kind !== undefined && !tag.isSelfClosing) this.#slot = { name: tag.localName, kind };
  }

  collectWarnings(document: Document): ProcessingWarning[] {
    const warnings = [
      ...collectTextureWarnings('COLLADA', this.#textureKinds),
      ...collectCameraAndLightWarnings('COLLADA', document, {
        hasCameras: this.#elements.has('instance_camera'),
        hasLights: this.#elements.has('instance_light'),
      }),
    ];
    const add = (code: string, content: string) =>
      warnings.push(ignoredWarning(code, 'COLLADA', content));
    if (this.#elements.has('morph') && !hasMorphTargets(document))
      add('morphs.ignored', 'morph targets');
    if (this.#elements.has('spline')) add('lines.ignored', 'curves');
    if (this.#elements.has('brep')) add('surfaces.ignored', 'boundary representations (brep)');
    return warnings;
  }
}

function hasMorphTargets(document: Document): boolean {
  const meshes = document.getRoot().listMeshes();
  return meshes.some((mesh) =>
    mesh.listPrimitives().some((primitive) => primitive.listTargets().length > 0),
  );
}

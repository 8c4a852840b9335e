import type { ProcessingWarning } from '@cloche/contract/design';
import type { Document } from '@gltf-transform/core';
import type { XmlTag } from '../../validation/xml.ts';
import {
  collectCameraWarnings,
  collectTextureWarnings,
  findKind,
  TEXTURE_KINDS,
} from '../assimp/warnings.ts';

/** Tags whose presence says that something is there. */
const MARKER_TAGS: ReadonlySet<string> = new Set([
  'instance_camera',
  'instance_light',
  'morph',
  'spline',
  'brep',
]);

/** What may be a picture; the library does read those of bumps. */
const TEXTURE_SLOTS: ReadonlySet<string> = new Set([
  'specular',
  'shininess',
  'reflective',
  'transparent',
  'displacement',
]);

/** Notes what the tags of a COLLADA have, for what the library's GLB has not. */
export class DaeFeatureDetector {
  readonly #foundTags = new Set<string>();
  readonly #textureKinds = new Set<string>();
  #slot: { name: string; kind: string } | undefined;

  visit(tag: XmlTag): void {
    if (tag.isEndTag) {
      if (tag.localName === this.#slot?.name) this.#slot = undefined;
      return;
    }
    if (MARKER_TAGS.has(tag.localName)) this.#foundTags.add(tag.localName);
    if (tag.localName === 'texture' && this.#slot) this.#textureKinds.add(this.#slot.kind);
    const kind = TEXTURE_SLOTS.has(tag.localName)
      ? findKind(TEXTURE_KINDS, tag.localName)
      : undefined;
    if (kind !== undefined && !tag.isSelfClosing) this.#slot = { name: tag.localName, kind };
  }

  collectWarnings(document: Document): ProcessingWarning[] {
    const warnings = [
      ...collectTextureWarnings('COLLADA', this.#textureKinds),
      ...collectCameraWarnings('COLLADA', document, {
        camera: this.#foundTags.has('instance_camera'),
        light: this.#foundTags.has('instance_light'),
      }),
    ];
    const primitives = document
      .getRoot()
      .listMeshes()
      .flatMap((mesh) => mesh.listPrimitives());
    if (this.#foundTags.has('morph') && !primitives.some((each) => each.listTargets().length > 0)) {
      const message = 'The COLLADA has shapes to morph into, which were not read.';
      warnings.push({ code: 'morphs.unread', message });
    }
    if (this.#foundTags.has('spline')) {
      const message = 'The COLLADA has curves, which were not read.';
      warnings.push({ code: 'lines.unread', message });
    }
    if (this.#foundTags.has('brep')) {
      const message = 'The COLLADA has surfaces that are not of polygons, which were not read.';
      warnings.push({ code: 'surfaces.unread', message });
    }
    return warnings;
  }
}

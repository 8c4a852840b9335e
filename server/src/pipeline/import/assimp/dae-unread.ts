import type { Document } from '@gltf-transform/core';
import type { Warning } from '../../report.ts';
import type { Tag } from '../xml.ts';
import { kindOf, PICTURES, tellCameras, tellPictures } from './unread.ts';

/** Tags whose presence says that something is there. */
const MARKS: ReadonlySet<string> = new Set([
  'instance_camera',
  'instance_light',
  'morph',
  'spline',
  'brep',
]);

/** What may be a picture; the library does read those of bumps. */
const SLOTS: ReadonlySet<string> = new Set([
  'specular',
  'shininess',
  'reflective',
  'transparent',
  'displacement',
]);

/** Notes what the tags of a COLLADA have, for what the library's GLB has not. */
export class DaeNotes {
  readonly #marks = new Set<string>();
  readonly #pictures = new Set<string>();
  #slot: { name: string; kind: string } | undefined;

  see(tag: Tag): void {
    if (tag.closes) {
      if (tag.name === this.#slot?.name) this.#slot = undefined;
      return;
    }
    if (MARKS.has(tag.name)) this.#marks.add(tag.name);
    if (tag.name === 'texture' && this.#slot) this.#pictures.add(this.#slot.kind);
    const kind = SLOTS.has(tag.name) ? kindOf(PICTURES, tag.name) : undefined;
    if (kind !== undefined && !tag.empty) this.#slot = { name: tag.name, kind };
  }

  tell(document: Document): Warning[] {
    const warnings = [
      ...tellPictures('COLLADA', this.#pictures),
      ...tellCameras('COLLADA', document, {
        camera: this.#marks.has('instance_camera'),
        light: this.#marks.has('instance_light'),
      }),
    ];
    const primitives = document
      .getRoot()
      .listMeshes()
      .flatMap((mesh) => mesh.listPrimitives());
    if (this.#marks.has('morph') && !primitives.some((each) => each.listTargets().length > 0)) {
      const message = 'The COLLADA has shapes to morph into, which were not read.';
      warnings.push({ code: 'morphs.unread', message });
    }
    if (this.#marks.has('spline')) {
      const message = 'The COLLADA has curves, which were not read.';
      warnings.push({ code: 'lines.unread', message });
    }
    if (this.#marks.has('brep')) {
      const message = 'The COLLADA has surfaces that are not of polygons, which were not read.';
      warnings.push({ code: 'surfaces.unread', message });
    }
    return warnings;
  }
}

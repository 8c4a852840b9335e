import type { ValidationLimits } from '../../validation/limits.ts';
import type { ReferenceNode } from '../../validation/reference-expansion.ts';
import { PolygonCounter } from '../../validation/triangulation-cost.ts';
import type { XmlTag } from '../../validation/xml.ts';

/** Elements whose indices, in one `p` or several, form polygons or strips. */
const PRIMITIVES: ReadonlySet<string> = new Set([
  ...['triangles', 'polylist', 'polygons', 'trifans', 'tristrips'],
]);

/** Returns the key of a geometry, or of a controller, which deforms one. */
export function getGeometryKey(url: string | undefined): string {
  return `geometry ${url}`;
}

/** Counts the triangles of the geometries of a COLLADA file, which nodes refer to. */
export class DaeMeshCounter {
  /** By key. Controllers refer to geometries. */
  readonly geometries = new Map<string, ReferenceNode>();
  readonly #limits: ValidationLimits;
  #geometry: ReferenceNode | undefined;
  #primitive = '';
  /** The number of indices of a corner: one more than the highest offset. */
  #stride = 1;
  /** Of the current geometry. */
  #polygons: PolygonCounter;
  #numbers: NumberReader | undefined;
  triangulationBytes = 0;

  constructor(limits: ValidationLimits) {
    this.#limits = limits;
    this.#polygons = new PolygonCounter(limits, 'assimp');
  }

  open(tag: XmlTag): void {
    const { localName } = tag;
    if (localName === 'geometry' || localName === 'controller') this.#openGeometry(tag);
    else if (localName === 'skin' || localName === 'morph')
      this.#geometry?.references.push(getGeometryKey(tag.getAttribute('source')));
    else if (PRIMITIVES.has(localName)) this.#openPrimitive(tag);
    else if (this.#primitive === '') return;
    else if (localName === 'input')
      this.#stride = Math.max(this.#stride, 1 + (Number(tag.getAttribute('offset')) || 0));
    else if (localName === 'vcount' && this.#primitive === 'polylist')
      this.#numbers = new NumberReader((corners) => this.#polygons.add(corners));
    else if (localName === 'p' && ['polygons', 'trifans', 'tristrips'].includes(this.#primitive))
      this.#numbers = new NumberReader();
  }

  addText(text: string): void {
    this.#numbers?.append(text);
  }

  close(localName: string): void {
    if (localName === 'p' && this.#numbers) this.#closeIndices(this.#numbers.finish());
    else if (localName === 'vcount') this.#numbers?.finish();
    else if (PRIMITIVES.has(localName)) this.#primitive = '';
    else if (localName === 'geometry') this.#closeGeometry();
    if (localName === 'p' || localName === 'vcount') this.#numbers = undefined;
  }

  #openGeometry(tag: XmlTag): void {
    this.#geometry = { nodeCount: 0, triangleCount: 0, references: [] };
    this.geometries.set(getGeometryKey(`#${tag.getAttribute('id')}`), this.#geometry);
  }

  #openPrimitive(tag: XmlTag): void {
    this.#primitive = tag.localName;
    this.#stride = 1;
    // The library refuses triangles with another number of indices.
    if (tag.localName === 'triangles')
      this.#polygons.addTriangles(Number(tag.getAttribute('count')) || 0);
  }

  #closeIndices(count: number): void {
    const cornerCount = Math.floor(count / this.#stride);
    if (this.#primitive === 'polygons') this.#polygons.add(cornerCount);
    else this.#polygons.addTriangles(Math.max(cornerCount - 2, 0));
  }

  #closeGeometry(): void {
    if (this.#geometry) this.#geometry.triangleCount = this.#polygons.triangleCount;
    this.triangulationBytes += this.#polygons.triangulationBytes;
    this.#polygons = new PolygonCounter(this.#limits, 'assimp');
  }
}

const [ZERO, NINE, SPACE] = [0x30, 0x39, 0x20];

/** Reads whole numbers from a text that is appended in parts. */
class NumberReader {
  readonly #visit: ((number: number) => void) | undefined;
  #isInNumber = false;
  #number = 0;
  #count = 0;

  constructor(visit?: (number: number) => void) {
    this.#visit = visit;
  }

  append(text: string): void {
    for (let offset = 0; offset < text.length; offset++) {
      const code = text.charCodeAt(offset);
      if (code <= SPACE) this.#endNumber();
      else {
        this.#isInNumber = true;
        if (code >= ZERO && code <= NINE) this.#number = 10 * this.#number + code - ZERO;
      }
    }
  }

  /** Returns how many numbers the text has. */
  finish(): number {
    this.#endNumber();
    return this.#count;
  }

  #endNumber(): void {
    if (!this.#isInNumber) return;
    this.#count++;
    this.#visit?.(this.#number);
    this.#number = 0;
    this.#isInNumber = false;
  }
}

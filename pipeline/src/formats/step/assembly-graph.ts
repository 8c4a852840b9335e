import type { ReferenceNode } from '../../validation/reference-expansion.ts';
import type { EntityVisitor } from '../../validation/step-file.ts';

/** A use of a part: the assembly, then the part. Both are product definitions. */
const USE = 'NEXT_ASSEMBLY_USAGE_OCCURRENCE';
/** The shape of a product definition, and its representation. */
const DEFINITION_SHAPE = 'PRODUCT_DEFINITION_SHAPE';
const DEFINITION_REPRESENTATION = 'SHAPE_DEFINITION_REPRESENTATION';
/** Says that two representations are of the same thing. */
const SAME_REPRESENTATION = 'SHAPE_REPRESENTATION_RELATIONSHIP';
/** Each reference is a face. */
const SHELLS = ['CLOSED_SHELL', 'OPEN_SHELL', 'CONNECTED_FACE_SET'];
/** Each reference may be a part. */
const CONTAINERS = [
  'SHAPE_REPRESENTATION',
  'ADVANCED_BREP_SHAPE_REPRESENTATION',
  'FACETED_BREP_SHAPE_REPRESENTATION',
  'MANIFOLD_SURFACE_SHAPE_REPRESENTATION',
  'MANIFOLD_SOLID_BREP',
  'BREP_WITH_VOIDS',
  'FACETED_BREP',
  'SHELL_BASED_SURFACE_MODEL',
  'FACE_BASED_SURFACE_MODEL',
  'ORIENTED_CLOSED_SHELL',
  'ORIENTED_OPEN_SHELL',
  'MAPPED_ITEM',
  'REPRESENTATION_MAP',
];

/** Counts as a node of the model; the other entities are only on the way to it. */
const MAPPED_ITEM = 'MAPPED_ITEM';

/**
 * The parts of a STEP file and what they consist of. The library copies a part for each use: thirty assemblies
 * that each use the one before twice would be a billion parts, in a file of 30 kB.
 */
export class AssemblyGraph implements EntityVisitor {
  readonly keywords = [
    ...[USE, DEFINITION_SHAPE, DEFINITION_REPRESENTATION, SAME_REPRESENTATION],
    ...[...SHELLS, ...CONTAINERS],
  ];
  readonly #parts = new Map<string, ReferenceNode>();
  /** Product definitions that an assembly uses. */
  readonly #used = new Set<string>();
  readonly #definitions = new Set<string>();
  /** Pairs of references. */
  readonly #representations: (readonly number[])[] = [];
  /** The product definition of each shape. */
  readonly #shapes = new Map<string, string>();
  /** A representation of the same thing. */
  readonly #aliases = new Map<string, string>();

  visit(keyword: string, id: number, references: readonly number[]): void {
    const [first = '', second = ''] = references.map(String);
    if (keyword === USE) {
      this.#getDefinition(first).references.push(second);
      this.#getDefinition(second);
      this.#used.add(second);
    } else if (keyword === DEFINITION_SHAPE) this.#shapes.set(`${id}`, first);
    else if (keyword === DEFINITION_REPRESENTATION) this.#representations.push(references);
    else if (keyword === SAME_REPRESENTATION) this.#join(first, second);
    else {
      const isShell = SHELLS.includes(keyword);
      this.#parts.set(`${id}`, {
        nodeCount: keyword === MAPPED_ITEM ? 1 : 0,
        triangleCount: isShell ? references.length : 0,
        references: isShell ? [] : references.map(String),
      });
    }
  }

  /** Returns the parts by id, and those that no assembly uses. */
  resolve(): { parts: ReadonlyMap<string, ReferenceNode>; roots: string[] } {
    for (const [shape, representation] of this.#representations) {
      const definition = this.#shapes.get(`${shape}`);
      if (definition !== undefined)
        this.#getDefinition(definition).references.push(`${representation}`);
    }
    for (const id of this.#aliases.keys()) this.#mergeInto(this.#findRepresentative(id), id);
    const roots = [...this.#definitions].filter((id) => !this.#used.has(id));
    return { parts: this.#parts, roots };
  }

  #getDefinition(id: string): ReferenceNode {
    const part = this.#parts.get(id) ?? { nodeCount: 1, triangleCount: 0, references: [] };
    this.#parts.set(id, part);
    this.#definitions.add(id);
    return part;
  }

  #join(first: string, second: string): void {
    const [from, to] = [this.#findRepresentative(first), this.#findRepresentative(second)];
    if (from !== to) this.#aliases.set(from, to);
  }

  /** Shortens the chain that it follows, which may be as long as the file. */
  #findRepresentative(id: string): string {
    let current = id;
    for (let next = this.#aliases.get(id); next !== undefined; next = this.#aliases.get(current)) {
      const afterNext = this.#aliases.get(next);
      if (afterNext !== undefined) this.#aliases.set(current, afterNext);
      current = afterNext ?? next;
    }
    return current;
  }

  /** References to `id` then mean what all representations of the same thing contain. */
  #mergeInto(representative: string, id: string): void {
    const part = this.#parts.get(id);
    const target = this.#parts.get(representative);
    if (part === undefined || target === undefined) return;
    target.references.push(...part.references);
    part.references = [representative];
  }
}

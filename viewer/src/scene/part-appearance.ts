import { InstancedMesh, type Material, Matrix4, Vector3 } from 'three';
import { ColoredMaterials } from './colored-materials.ts';
import type { DrawnObject, PartDraw } from './part-tree.ts';

/** How a part is shown. Without a color, it has its own material. */
export type PartLook = { visible: boolean; color: string | undefined };

const OWN_LOOK: PartLook = { visible: true, color: undefined };
const NO_SIZE = new Vector3(0, 0, 0);

/**
 * Hides and colors parts in the scene. Objects are hidden with their layer, because `visible` also applies to the
 * objects in them. Instances are hidden with a matrix that scales to zero; instances with a color are drawn by another
 * object, one for each color.
 */
export class PartAppearance implements Disposable {
  readonly #draws: readonly (readonly PartDraw[])[];
  readonly #materials = new ColoredMaterials();
  readonly #batches = new Map<DrawnObject, InstanceBatch>();

  /** @param draws what draws each part, by id */
  constructor(draws: readonly (readonly PartDraw[])[]) {
    this.#draws = draws;
    for (const [id, { object, instance }] of this.#list()) {
      if (instance === undefined) continue;
      const batch = this.#batches.get(object) ?? new InstanceBatch(object as never);
      this.#batches.set(object, batch);
      batch.partIds[instance] = id;
    }
  }

  /** Shows all parts as `getLook` says. Parts of which the look has not changed cost next to nothing. */
  apply(getLook: (id: number) => PartLook): void {
    for (const [id, { object, instance }] of this.#list()) {
      if (instance !== undefined) continue;
      const { visible, color } = getLook(id);
      object.layers.mask = visible ? 1 : 0;
      object.material = this.#materials.get(object, color);
    }
    for (const batch of this.#batches.values()) {
      batch.apply(getLook, (color) => this.#materials.get(batch.object, color));
    }
    this.#materials.disposeUnused();
  }

  /** The transforms of what a part draws of an object, as in the file, also while it is hidden. */
  listInstanceMatrices({ object, instance }: PartDraw): readonly Matrix4[] {
    const batch = this.#batches.get(object);
    if (batch !== undefined && instance !== undefined) {
      return [batch.getMatrix(instance, new Matrix4())];
    }
    if (!(object instanceof InstancedMesh)) return [new Matrix4()];
    return Array.from({ length: object.count }, (_, index) =>
      new Matrix4().fromArray(object.instanceMatrix.array, index * 16),
    );
  }

  /** Returns the part that an object draws. Undefined if it is none. */
  findPart(object: unknown, instance: number | undefined): number | undefined {
    for (const batch of this.#batches.values()) {
      const id = batch.findPart(object, instance);
      if (id !== undefined) return id;
    }
    for (const [id, draw] of this.#list()) if (draw.object === object) return id;
    return undefined;
  }

  *#list(): Generator<[id: number, draw: PartDraw]> {
    for (const [id, draws] of this.#draws.entries()) for (const draw of draws) yield [id, draw];
  }

  /** Shows all parts with their own materials, and frees what they needed otherwise. */
  [Symbol.dispose](): void {
    this.apply(() => OWN_LOOK);
  }
}

/** The instances of one object. */
class InstanceBatch {
  readonly object: InstancedMesh<DrawnObject['geometry'], Material>;
  /** The part of each instance. */
  readonly partIds: number[] = [];
  readonly #matrices: Float32Array;
  /** The objects that draw the instances with a color, with the numbers of these instances. */
  readonly #colored = new Map<InstancedMesh, readonly number[]>();
  #appliedLooks: string | undefined;

  constructor(object: InstancedMesh<DrawnObject['geometry'], Material>) {
    this.object = object;
    this.#matrices = object.instanceMatrix.array.slice() as Float32Array;
  }

  apply(
    getLook: (id: number) => PartLook,
    getMaterial: (color: string | undefined) => Material,
  ): void {
    const looks = this.#describe(getLook);
    this.#appliedLooks ??= this.#describe(() => OWN_LOOK);
    this.object.material = getMaterial(undefined);
    if (looks === this.#appliedLooks) {
      for (const mesh of this.#colored.keys()) mesh.material = getMaterial(mesh.userData.color);
      return;
    }
    this.#appliedLooks = looks;
    const byColor = this.#applyVisibility(getLook);
    this.#removeColored();
    for (const [color, instances] of byColor) this.#addColored(instances, color, getMaterial);
  }

  getMatrix(instance: number, result: Matrix4): Matrix4 {
    return result.fromArray(this.#matrices, instance * 16);
  }

  findPart(object: unknown, instance: number | undefined): number | undefined {
    if (instance === undefined) return undefined;
    if (object === this.object) return this.partIds[instance];
    const instances = this.#colored.get(object as InstancedMesh);
    return instances && this.partIds[instances[instance] as number];
  }

  #describe(getLook: (id: number) => PartLook): string {
    const describe = ({ visible, color }: PartLook) => (visible ? (color ?? '') : '-');
    return this.partIds.map((id) => describe(getLook(id))).join();
  }

  /** Hides the instances that are hidden or have a color. Returns those with a color. */
  #applyVisibility(getLook: (id: number) => PartLook): Map<string, number[]> {
    const byColor = new Map<string, number[]>();
    const { object } = this;
    const matrix = new Matrix4();
    let anyVisible = false;
    for (const [instance, id] of this.partIds.entries()) {
      const { visible, color } = getLook(id);
      this.getMatrix(instance, matrix);
      if (visible && color !== undefined) {
        const instances = byColor.get(color) ?? [];
        byColor.set(color, instances);
        instances.push(instance);
      }
      if (visible && color === undefined) anyVisible = true;
      else matrix.scale(NO_SIZE);
      object.setMatrixAt(instance, matrix);
    }
    object.layers.mask = anyVisible ? 1 : 0;
    object.instanceMatrix.needsUpdate = true;
    // three.js computes it again for the visible instances.
    object.boundingSphere = null;
    return byColor;
  }

  #addColored(
    instances: readonly number[],
    color: string,
    getMaterial: (color: string) => Material,
  ): void {
    const mesh = new InstancedMesh(this.object.geometry, getMaterial(color), instances.length);
    const matrix = new Matrix4();
    for (const [index, instance] of instances.entries()) {
      mesh.setMatrixAt(index, this.getMatrix(instance, matrix));
    }
    mesh.userData.color = color;
    mesh.renderOrder = this.object.renderOrder;
    this.object.add(mesh);
    this.#colored.set(mesh, instances);
  }

  #removeColored(): void {
    for (const mesh of this.#colored.keys()) mesh.removeFromParent().dispose();
    this.#colored.clear();
  }
}

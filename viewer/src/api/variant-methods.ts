import { ViewerProblem } from '@cloche/contract/viewer-problem';
import type { LoadedModel } from '../loader/prepare-model.ts';
import type { ModelAccess } from './model-access.ts';
import { listVariantNames } from './model-names.ts';

type VariantMethodsOptions = {
  access: ModelAccess;
  /** Called when the materials have changed. */
  onChange: (change: { name: string | null }) => void;
};

/** The material variants of a model by name. The selected variant stays when the model is loaded again. */
export class VariantMethods {
  readonly #access: ModelAccess;
  readonly #onChange: VariantMethodsOptions['onChange'];
  /** In the order of the file. */
  #names: readonly string[] = [];
  /** Undefined for the materials of the file. */
  #index: number | undefined;

  constructor({ access, onChange }: VariantMethodsOptions) {
    this.#access = access;
    this.#onChange = onChange;
    access.onFirstModel((model) => {
      this.#names = listVariantNames(model);
      this.#index = model.variants?.selected;
    });
  }

  /** Names come from the file: untrusted text. */
  getVariants(): string[] {
    return [...this.#names];
  }

  getVariant(): string | null {
    return this.#index === undefined ? null : (this.#names[this.#index] ?? null);
  }

  /**
   * Applies a variant; null restores the materials of the file. Resolves when they are in the scene.
   *
   * @throws {ViewerProblem} viewer.unknown-variant
   */
  async setVariant(name: string | null): Promise<void> {
    const index = name === null ? undefined : this.#names.indexOf(name);
    if (index === -1) throw new ViewerProblem('viewer.unknown-variant');
    this.#index = index;
    await this.#access.model?.variants?.select(index);
    // Another variant may have been selected in the meantime.
    if (this.#index === index) this.#onChange({ name });
  }

  /** Applies the variant to a model that has been loaded again. */
  async restore({ variants }: LoadedModel): Promise<void> {
    if (variants?.selected !== this.#index) await variants?.select(this.#index);
  }
}

import { translate } from '../i18n/translate.ts';
import type { Viewer } from '../viewer.ts';
import { populateMenu } from './menu.ts';

/** Fills the menu with the variants of the model. The first entry is for the default materials. */
export function mountVariantMenu(viewer: Viewer, menu: HTMLSelectElement): void {
  const update = () => {
    if (viewer.variantNames.length === 0) return;
    const labels = viewer.variantNames.map(
      (name, index) => name || translate('variants.unnamed', { number: index + 1 }),
    );
    populateMenu(menu, [translate('variants.original'), ...labels], (index) => {
      void viewer.selectVariant(index === 0 ? undefined : index - 1);
    });
  };
  viewer.on('modelchange', update);
  update();
}

import { translate } from '../i18n/translate.ts';
import type { Viewer } from '../viewer.ts';
import { createMenu } from './menu.ts';

const ICON = 'M14.5 12a5 5 0 1 1-10 0 5 5 0 0 1 10 0zM19.5 12a5 5 0 1 1-10 0 5 5 0 0 1 10 0z';

/** Creates a menu of the variants of the model. The first entry is for the default materials. */
export function createVariantMenu(viewer: Viewer): HTMLElement {
  const menu = createMenu({ id: 'variants', label: translate('variants.label'), icon: ICON });
  const update = () => {
    if (viewer.variantNames.length === 0) return;
    const labels = viewer.variantNames.map(
      (name, index) => name || translate('variants.unnamed', { number: index + 1 }),
    );
    menu.populate([translate('variants.original'), ...labels], (index) => {
      void viewer.selectVariant(index === 0 ? undefined : index - 1);
    });
  };
  viewer.on('modelchange', update);
  update();
  return menu.element;
}

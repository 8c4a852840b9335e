import { translate } from '../i18n/translate.ts';
import type { Viewer } from '../viewer.ts';
import { createMenu } from './menu.ts';
import { onModel } from './on-model.ts';

const ICON = 'M14.5 12a5 5 0 1 1-10 0 5 5 0 0 1 10 0zM19.5 12a5 5 0 1 1-10 0 5 5 0 0 1 10 0z';

/** Creates a menu of the variants of the model. The first entry is for the default materials. */
export function createVariantMenu(viewer: Viewer): HTMLElement {
  const menu = createMenu({ id: 'variants', label: translate('variants.label'), icon: ICON });
  const fill = async () => {
    const names = await viewer.getVariants();
    if (names.length === 0) return;
    menu.populate([translate('variants.original'), ...names], (index) => {
      void viewer.setVariant(index === 0 ? null : (names[index - 1] as string));
    });
  };
  onModel(viewer, fill);
  return menu.element;
}

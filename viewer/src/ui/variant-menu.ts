import { translate } from '../i18n/translate.ts';
import type { Viewer } from '../viewer.ts';
import { ICONS } from './icons.ts';
import { createRadioList } from './radio-list.ts';
import type { ToolbarMenu } from './toolbar.ts';

/** Creates a menu of the variants of the model. The first entry is for the default materials. */
export function createVariantMenu(viewer: Viewer): ToolbarMenu {
  let names: readonly string[] = [];
  let selected: string | null = null;
  const list = createRadioList({
    name: 'variant',
    label: translate('variants.label'),
    onSelect: (index) => void viewer.setVariant(names[index - 1] ?? null),
  });
  const content = document.createElement('div');
  content.append(list.element);
  viewer.on('variantchange', ({ name }) => {
    selected = name;
  });
  return {
    id: 'variants',
    icon: ICONS.variants,
    label: 'variants.label',
    content,
    isAvailable: () => names.length > 0,
    async read() {
      [names, selected] = await Promise.all([viewer.getVariants(), viewer.getVariant()]);
    },
    update() {
      const labels = [translate('variants.original'), ...names];
      list.update(labels, selected === null ? 0 : names.indexOf(selected) + 1);
    },
  };
}

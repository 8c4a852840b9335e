/** Type checked, not run: the element in templates of Vue, whose tools read `GlobalComponents`. */
import type { GlobalComponents } from 'vue';
import type {} from '../../src/vue.ts';

type Element = InstanceType<GlobalComponents['cloche-viewer']>;

export const props: Element['$props'] = {
  src: 'https://cloche.example.com/embed/iframe/v1/…?token=…',
  'camera-orbit': '30deg 75deg 105%',
  autoRotate: true,
  class: 'view',
};

export const wrongProps: Element['$props'] = {
  // @ts-expect-error: not one of the themes
  theme: 'blue',
};

export function listen(emit: Element['$emit']): void {
  emit('pick', new CustomEvent('pick'));
  // @ts-expect-error: not an event
  emit('picked', new CustomEvent('pick'));
}

import { type ReactNode, useState } from 'react';
import { texts } from '../i18n/en.ts';
import { Button } from './button.tsx';

const STEP = 20;

type FirstItemsProps<Item> = {
  items: readonly Item[];
  /** Renders the first items. */
  children: (shown: readonly Item[]) => ReactNode;
};

/** Shows the first 20 of items that are loaded already, and a button for the next 20. */
export function FirstItems<Item>({ items, children }: FirstItemsProps<Item>) {
  const [count, setCount] = useState(STEP);
  return (
    <>
      {children(items.slice(0, count))}
      {items.length > count && (
        <Button onClick={() => setCount(count + STEP)}>{texts.common.showMore}</Button>
      )}
    </>
  );
}

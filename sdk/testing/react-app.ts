/** A React app with the component, for tests. Node, which renders it as well, cannot read JSX. */
import { createElement, Fragment, useState } from 'react';
import { ClocheViewer } from '../src/react.ts';
import type { ViewerHandle } from '../src/viewer-handle.ts';

export type ReactAppProps = {
  service: string;
  design: string;
  /** Whether each rendering has another function as ref. */
  inlineRef?: boolean;
};

/** Shows a design. Its buttons change options and the token, and remove the design. */
export function ReactApp({ service, design, inlineRef = false }: ReactAppProps) {
  const [variantName, setVariantName] = useState<string | undefined>('Oak');
  const [token, setToken] = useState('t');
  const [isRemoved, setRemoved] = useState(false);
  const viewer = createElement(ClocheViewer, {
    service,
    design,
    token,
    variantName,
    title: 'Oak chair',
    className: 'view',
    style: { height: 100 },
    onPick: ({ part }) => window.log.push(`pick ${part.name} with ${variantName}`),
    ref: inlineRef ? (handle: ViewerHandle | null) => setHandle(handle) : setHandle,
  });
  const button = (text: string, onClick: () => void) =>
    createElement('button', { key: text, type: 'button', onClick }, text);
  return createElement(Fragment, null, [
    isRemoved ? undefined : createElement('main', { key: 'viewer' }, viewer),
    button('Ash', () => setVariantName('Ash')),
    button('Default', () => setVariantName(undefined)),
    button('Other', () => setToken('other')),
    button('Remove', () => setRemoved(true)),
  ]);
}

function setHandle(handle: ViewerHandle | null): void {
  window.log.push(handle ? 'ref' : 'no ref');
  if (handle) window.handle = handle;
}

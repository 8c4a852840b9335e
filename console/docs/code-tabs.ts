import { h } from './dom.ts';

/**
 * Shows one of several blocks of code at a time, with a tab for each. Without this script, all blocks are
 * visible, each below its heading.
 */
export function enableCodeTabs(root: HTMLElement): void {
  const panels = [...root.querySelectorAll<HTMLElement>('[data-label]')];
  const tabs = panels.map((panel, index) => {
    panel.id = `code-panel-${index}`;
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', `code-tab-${index}`);
    panel.querySelector('h3')?.remove();
    return h(
      'button',
      { type: 'button', role: 'tab', id: `code-tab-${index}`, 'aria-controls': panel.id },
      panel.dataset.label,
    );
  });
  const select = (selected: number) => {
    for (const [index, tab] of tabs.entries()) {
      tab.setAttribute('aria-selected', String(index === selected));
      tab.tabIndex = index === selected ? 0 : -1;
      (panels[index] as HTMLElement).hidden = index !== selected;
    }
  };
  for (const [index, tab] of tabs.entries()) tab.addEventListener('click', () => select(index));
  const list = h('div', { role: 'tablist', 'aria-label': 'Language', class: 'tabs' }, tabs);
  list.addEventListener('keydown', (event) => {
    const current = tabs.indexOf(document.activeElement as HTMLButtonElement);
    const next = findNext(event.key, current, tabs.length);
    if (next === undefined) return;
    event.preventDefault();
    select(next);
    tabs[next]?.focus();
  });
  root.prepend(list);
  select(0);
}

function findNext(key: string, current: number, count: number): number | undefined {
  if (key === 'ArrowRight') return (current + 1) % count;
  if (key === 'ArrowLeft') return (current + count - 1) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

/** A list of radio buttons of which one is selected. */
export type RadioList = {
  element: HTMLFieldSetElement;
  /** Shows these names. They are untrusted: they are shown as text, never as HTML. */
  update(labels: readonly string[], selected: number): void;
};

type RadioListOptions = {
  name: string;
  /** The accessible name of the list. */
  label: string;
  onSelect: (index: number) => void;
};

export function createRadioList({ name, label, onSelect }: RadioListOptions): RadioList {
  const element = document.createElement('fieldset');
  element.className = 'radio-list';
  element.setAttribute('aria-label', label);
  let shown = '';
  return {
    element,
    update(labels, selected) {
      const key = JSON.stringify(labels);
      if (key !== shown) {
        shown = key;
        element.replaceChildren(
          ...labels.map((text, index) => createRow(name, text, () => onSelect(index))),
        );
      }
      const input = element.querySelectorAll('input')[selected];
      if (input) input.checked = true;
    },
  };
}

function createRow(name: string, text: string, onSelect: () => void): HTMLElement {
  const row = document.createElement('label');
  const input = document.createElement('input');
  const caption = document.createElement('span');
  input.type = 'radio';
  input.name = name;
  input.onchange = onSelect;
  caption.textContent = text;
  row.append(input, caption);
  return row;
}

type Attribute = string | number | boolean | ((event: Event) => void);
type Child = Node | string | undefined;

/** Creates an element. Functions become listeners (`onclick`), booleans toggle attributes. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, Attribute> = {},
  ...children: (Child | Child[])[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (typeof value === 'boolean') element.toggleAttribute(name, value);
    else element.setAttribute(name, String(value));
  }
  element.append(...children.flat().filter((child) => child !== undefined));
  return element;
}

/** Creates a heading, a paragraph or another element that only screen readers read. */
export function visuallyHidden(text: string, attributes: Record<string, string> = {}): HTMLElement {
  return h('span', { class: 'visually-hidden', ...attributes }, text);
}

/** Returns the element with an id. @throws if the page has none */
export function getElement(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no element ${id}.`);
  return element;
}

/** Converts text with `code` in backticks to nodes. */
export function withCode(text: string): (Node | string)[] {
  return text.split(/`([^`]+)`/).map((part, i) => (i % 2 === 0 ? part : h('code', {}, part)));
}

/** Makes an element. `on…` functions listen, booleans switch attributes, strings are set. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (typeof value === 'boolean') element.toggleAttribute(name, value);
    else element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== undefined));
  return element;
}

/** Text with `code` in it, as nodes. */
export function withCode(text) {
  return text.split(/`([^`]+)`/).map((part, i) => (i % 2 === 0 ? part : h('code', {}, part)));
}

/** A block of code with its button; `text` may be set again. */
export function codeBlock(text, label) {
  const code = h('code', {}, text);
  const pre = h('pre', { tabindex: '0', role: 'group', 'aria-label': label }, code);
  const block = h('div', { class: 'code' }, pre);
  addCopyButton(block);
  return { block, set: (next) => code.replaceChildren(next) };
}

export function addCopyButtons(root) {
  for (const block of root.querySelectorAll('.code')) addCopyButton(block);
}

function addCopyButton(block) {
  const button = h('button', { type: 'button', class: 'copy' }, 'Copy');
  const said = h('span', { class: 'quiet', role: 'status' });
  button.addEventListener('click', async () => {
    const done = await copy(block.querySelector('code'));
    button.textContent = done ? 'Copied' : 'Selected';
    said.textContent = done ? 'Copied.' : 'Selected. Copy it with your keyboard.';
    setTimeout(() => {
      button.textContent = 'Copy';
      said.textContent = '';
    }, 2000);
  });
  block.append(button, said);
}

/** Browsers let only secure pages write to the clipboard; elsewhere the text is selected. */
async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(code);
    return false;
  }
}

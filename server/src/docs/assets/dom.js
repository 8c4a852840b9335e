/** Creates an element. Functions become listeners (`onclick`), booleans toggle attributes. */
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

/** Converts text with `code` in backticks to nodes. */
export function withCode(text) {
  return text.split(/`([^`]+)`/).map((part, i) => (i % 2 === 0 ? part : h('code', {}, part)));
}

/** Creates a block of code with a copy button. `set` replaces the text. */
export function codeBlock(text, label) {
  const code = h('code', {}, text);
  const pre = h('pre', { tabindex: '0', role: 'group', 'aria-label': label }, code);
  const block = h('div', { class: 'code' }, pre);
  addCopyButton(block);
  return { block, set: (newText) => code.replaceChildren(newText) };
}

export function addCopyButtons(root) {
  for (const block of root.querySelectorAll('.code')) addCopyButton(block);
}

function addCopyButton(block) {
  const button = h('button', { type: 'button', class: 'copy' }, 'Copy');
  const status = h('span', { class: 'visually-hidden', role: 'status' });
  button.addEventListener('click', async () => {
    const copied = await copyOrSelect(block.querySelector('code'));
    button.textContent = copied ? 'Copied' : 'Selected';
    status.textContent = copied ? 'Copied.' : 'Selected. Copy it with your keyboard.';
    setTimeout(() => {
      button.textContent = 'Copy';
      status.textContent = '';
    }, 2000);
  });
  block.append(button, status);
}

/** Copies the text, or selects it on pages that may not write to the clipboard (plain http). */
async function copyOrSelect(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(code);
    return false;
  }
}

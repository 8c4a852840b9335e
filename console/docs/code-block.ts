import { h, visuallyHidden } from './dom.ts';

/** A block of code with a copy button. */
export type CodeBlock = { block: HTMLElement; set(text: string): void };

const FEEDBACK_MS = 2000;

/** Creates a block of code with a copy button. `label` is for screen readers. */
export function createCodeBlock(text: string, label: string): CodeBlock {
  const code = h('code', {}, text);
  const pre = h('pre', { tabindex: 0, role: 'group', 'aria-label': label }, code);
  const block = h('div', { class: 'code' }, pre);
  addCopyButton(block, code);
  return { block, set: (newText) => code.replaceChildren(newText) };
}

/** Adds a copy button to every block of code of a page. */
export function addCopyButtons(root: ParentNode): void {
  for (const block of root.querySelectorAll<HTMLElement>('.code')) {
    const code = block.querySelector('code');
    if (code !== null) addCopyButton(block, code);
  }
}

function addCopyButton(block: HTMLElement, code: HTMLElement): void {
  const button = h('button', { type: 'button', class: 'copy' }, 'Copy');
  const status = visuallyHidden('', { role: 'status' });
  button.addEventListener('click', async () => {
    const copied = await copyOrSelect(code);
    button.textContent = copied ? 'Copied' : 'Selected';
    status.textContent = copied ? 'Copied.' : 'Selected. Copy it with your keyboard.';
    setTimeout(() => {
      button.textContent = 'Copy';
      status.textContent = '';
    }, FEEDBACK_MS);
  });
  block.append(button, status);
}

/** Copies the text, or selects it on pages that may not write to the clipboard (plain http). */
async function copyOrSelect(code: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(code.textContent ?? '');
    return true;
  } catch {
    getSelection()?.selectAllChildren(code);
    return false;
  }
}

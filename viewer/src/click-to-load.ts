/**
 * The inline script of a framed document with the option `loading=click`, after the boot script: shows the button that starts
 * to load the design. The text and the style of the button are only in such documents, too.
 */
export {};

const start = globalThis.clocheBootstrap;
// Otherwise, the boot script shows why the design may not be shown.
if (start !== undefined) {
  const { started, load } = start;
  const root = document.documentElement;
  const button = document.getElementById('load') as HTMLButtonElement;
  const view = document.getElementById('view') as HTMLElement;
  root.dataset.waiting = '';
  button.hidden = false;
  button.onclick = () => {
    load();
    // The button is removed: the keys that follow are for the 3D view.
    view.tabIndex = -1;
    view.focus();
  };
  void started.then(() => {
    button.remove();
    delete root.dataset.waiting;
  });
}

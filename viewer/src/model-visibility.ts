/**
 * Calls the listener when the model becomes visible in place of the poster, or is hidden again, and at the start if it is
 * visible. The attributes of the document decide, as in framed-document.css.
 */
export function observeModelVisibility(
  { documentElement }: Document,
  onChange: (visible: boolean) => void,
): Disposable {
  const { dataset } = documentElement;
  let wasVisible = false;
  const update = () => {
    const visible =
      dataset.revealed !== undefined &&
      dataset.contextLost === undefined &&
      dataset.state !== 'failed';
    if (visible === wasVisible) return;
    wasVisible = visible;
    onChange(visible);
  };
  const observer = new MutationObserver(update);
  const attributeFilter = ['data-revealed', 'data-context-lost', 'data-state'];
  observer.observe(documentElement, { attributes: true, attributeFilter });
  update();
  return { [Symbol.dispose]: () => observer.disconnect() };
}

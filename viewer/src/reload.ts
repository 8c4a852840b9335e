/**
 * Makes the reload links wait for the service: a document that is requested without a connection is replaced
 * by an error page of the browser, which has no way back. Until then, the links say `offlineText`.
 */
export function confirmReload(document: Document, offlineText: string): void {
  document.addEventListener('click', (event) => {
    const link = event.target;
    if (!(link instanceof HTMLAnchorElement) || link.dataset.confirmed !== undefined) return;
    event.preventDefault();
    const script = document.querySelector<HTMLLinkElement>('link[rel="modulepreload"]');
    const request = fetch(script?.href ?? '/', { method: 'HEAD', cache: 'no-store' });
    request.then(
      () => {
        link.dataset.confirmed = '';
        // Over http, the gate allows the request by the Referer of the link. Over https, WebKit shortens it, and the gate needs none.
        if (location.protocol === 'https:') location.reload();
        else link.click();
      },
      () => {
        const message = link.parentElement;
        const text = message?.querySelector('h2 + p') ?? message?.querySelector('p');
        if (text) text.textContent = offlineText;
      },
    );
  });
}

/**
 * Reloads the document when the visitor returns to a page that was left while the design was loading. WebKit cancels the requests of a page
 * that it keeps for that, and shows it again as it was: with an error, without controls, or with an empty canvas. Not over plain http: the
 * gate would refuse the request, which has no Referer.
 */
export function reloadAfterReturn(isLoading: () => boolean): void {
  let wasLoading = false;
  addEventListener('pagehide', () => {
    wasLoading = isLoading();
  });
  // A document that the browser does not keep ends with `pagehide`.
  addEventListener('pageshow', () => {
    if (wasLoading && location.protocol === 'https:') location.reload();
  });
}

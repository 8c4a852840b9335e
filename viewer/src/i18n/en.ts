/**
 * Every text that visitors read, in English. The viewer imports this file. The build copies texts to the
 * framed document and its inline script, and writes all texts to `dist/i18n/en.json`, which the server
 * reads for its error page.
 */
export const en = {
  'view.roleDescription': '3D design',
  'view.keyboardHelp':
    'Rotate with the arrow keys, move with Shift and the arrow keys, zoom with plus and minus, reset with R.',
  'view.reset': 'Reset view',
  'view.fromTop': 'View from above',
  'view.fromBelow': 'View from below',
  'view.fromSide': 'View from the {direction}',
  'view.fromSideAbove': 'View from the {direction} and above',
  'view.fromSideBelow': 'View from the {direction} and below',

  'direction.front': 'front',
  'direction.frontRight': 'front right',
  'direction.right': 'right',
  'direction.backRight': 'back right',
  'direction.back': 'back',
  'direction.backLeft': 'back left',
  'direction.left': 'left',
  'direction.frontLeft': 'front left',

  'hint.zoom': '{key} + scroll to zoom',
  'hint.keyCommand': '⌘',
  'hint.keyControl': 'Ctrl',

  'loading.label': 'Loading',
  'previewNotice.text': 'Only a preview could be loaded.',

  'animation.play': 'Play animation',
  'animation.pause': 'Pause animation',
  'animations.label': 'Animation',
  'animations.unnamed': 'Animation {number}',
  'variants.label': 'Variant',
  'variants.unnamed': 'Variant {number}',
  'variants.original': 'Original',
  'fullscreen.enter': 'Fullscreen',
  'fullscreen.exit': 'Exit fullscreen',

  'recovery.retry': 'Try again',
  'recovery.reload': 'Reload',

  'refused.topLevel.title': 'This design cannot be opened on its own',
  'refused.topLevel.detail': 'Open the web page that contains it.',
  'refused.ancestor.title': 'This design cannot be shown here',
  'refused.ancestor.detail': '{origin} is not on the list of sites that may show this design.',

  'error.offline.title': 'The design could not be loaded',
  'error.offline.detail': 'The connection failed. Check that you are online.',
  'error.interrupted.title': 'The design was only partly loaded',
  'error.interrupted.detail': 'The connection was lost while loading.',
  'error.grant-expired.title': 'The design could not be loaded',
  'error.grant-expired.detail': 'This page has been open for too long. Reload the page.',
  'error.refused.title': 'The design could not be loaded',
  'error.refused.detail': 'The server refused the request.',
  'error.unavailable.title': 'The design cannot be loaded right now',
  'error.unavailable.detail': 'The server has a problem. Try again in a moment.',
  'error.invalid-file.title': 'This design cannot be shown',
  'error.invalid-file.detail': 'The file is damaged or is not valid glTF 2.0.',
  'error.unsupported-extension.title': 'This design cannot be shown',
  'error.unsupported-extension.detail':
    'The file needs glTF extensions that this viewer does not support: {extensions}.',
  'error.missing-resource.title': 'This design is incomplete',
  'error.missing-resource.detail': 'The file refers to “{uri}”, which is missing.',
  'error.empty-scene.title': 'This design is empty',
  'error.empty-scene.detail': 'The file is valid, but contains nothing visible.',
  'error.no-webgl.title': 'This browser cannot show 3D',
  'error.no-webgl.detail':
    'WebGL 2 is not available or is turned off. Try another browser or device.',
  'error.context-lost.title': 'The 3D view stopped working',
  'error.context-lost.detail':
    'The browser stopped its 3D graphics. Reload to see the design again.',
  'error.failed.title': 'This design cannot be shown',
  'error.failed.detail': 'Something went wrong. Reload to try again.',

  'errorPage.documentTitle': 'Design not shown',
  'errorPage.retrying': 'This page tries again automatically.',
  'errorPage.reload': 'Then reload the page.',
  'errorPage.learnMore': 'What this means',

  // The titles of the error page, by problem code. Below the title, the detail of the problem is shown.
  'errorPage.title.request.ambiguous-host': 'The request must name exactly one host.',
  'errorPage.title.request.wrong-host': 'There are no designs at this address.',
  'errorPage.title.request.not-acceptable': 'The browser accepts none of the possible formats.',
  'errorPage.title.token.missing': 'The address of this design has no token.',
  'errorPage.title.token.malformed': 'The token of this design is not valid.',
  'errorPage.title.token.unknown': 'The token of this design does not exist.',
  'errorPage.title.token.revoked': 'The token of this design was revoked.',
  'errorPage.title.token.expired': 'The token of this design has expired.',
  'errorPage.title.token.design': 'The token is for other designs.',
  'errorPage.title.embed.placeholder': 'The token is missing in the HTML of this page.',
  'errorPage.title.embed.secret-token': 'This page must not use a secret token.',
  'errorPage.title.embed.prefetch': 'Designs cannot be loaded in advance.',
  'errorPage.title.embed.not-an-iframe': 'Designs can only be shown in an iframe.',
  'errorPage.title.embed.origin': 'This design cannot be shown on this site.',
  'errorPage.title.embed.unverified-origin':
    'The browser did not say which site shows this design.',
  'errorPage.title.embed.preview-link': 'This preview link does not work, or no longer.',
  'errorPage.title.design.unknown': 'This design does not exist.',
  'errorPage.title.design.failed': 'This design cannot be shown.',
  'errorPage.title.design.not-ready': 'This design is still being processed.',
  'errorPage.title.server.failed': 'Something went wrong on the server.',

  'previewPage.title': 'Preview',
  'previewPage.validity': 'Preview. This link works until {time}.',
} as const;

export type MessageKey = keyof typeof en;

/**
 * Every text that visitors read, in English. The viewer imports this file; the build copies what the
 * framed document and its inline script need, and writes all of it to `dist/i18n/en.json`, which the
 * server reads for its pages.
 */
export const en = {
  'view.roleDescription': '3D design',
  'view.keyboardHelp':
    'Arrow keys rotate, Shift and arrow keys move, plus and minus zoom, R resets the view.',
  'view.reset': 'Reset view',
  'view.fromTop': 'View from the top',
  'view.fromBelow': 'View from below',
  'view.fromSide': 'View from {direction}',
  'view.fromSideAbove': 'View from {direction}, above',
  'view.fromSideBelow': 'View from {direction}, below',

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

  'refused.topLevel.title': 'This design can only be shown inside another page',
  'refused.topLevel.detail': 'It cannot be opened on its own. Please visit the page that shows it.',
  'refused.ancestor.title': 'This design may not be shown here',
  'refused.ancestor.detail': '{origin} is not on the list of sites that may show it.',

  'error.offline.title': 'The design could not be loaded',
  'error.offline.detail': 'The connection failed. Check that you are online.',
  'error.interrupted.title': 'The design was only partly loaded',
  'error.interrupted.detail': 'The connection was lost while loading.',
  'error.grant-expired.title': 'This page has been open for a while',
  'error.grant-expired.detail':
    'The permission to load the design has expired. Reload the page to see it.',
  'error.refused.title': 'The design could not be loaded',
  'error.refused.detail': 'The service refused the request.',
  'error.unavailable.title': 'The design cannot be loaded right now',
  'error.unavailable.detail': 'The service has a problem. Please try again in a moment.',
  'error.invalid-file.title': 'This design cannot be shown',
  'error.invalid-file.detail': 'Its file is damaged or is not valid glTF 2.0.',
  'error.unsupported-extension.title': 'This design cannot be shown',
  'error.unsupported-extension.detail':
    'Its file needs a glTF extension that this viewer does not support.',
  'error.unsupported-extension.named':
    'Its file needs {extensions}, which this viewer does not support.',
  'error.missing-resource.title': 'This design is not complete',
  'error.missing-resource.detail': 'Its file refers to other files that are not part of it.',
  'error.missing-resource.named': 'Its file refers to “{uri}”, which is not part of it.',
  'error.empty-scene.title': 'There is nothing to see',
  'error.empty-scene.detail': 'The file is valid, but its scene contains nothing visible.',
  'error.no-webgl.title': 'This browser can’t show 3D',
  'error.no-webgl.detail':
    'WebGL 2 is missing or switched off here. Another browser or device may show the design.',
  'error.context-lost.title': 'The 3D view was lost',
  'error.context-lost.detail': 'The browser released the graphics memory and has not restored it.',
  'error.failed.title': 'This design cannot be shown',
  'error.failed.detail': 'Something went wrong while it was being prepared.',

  'errorPage.documentTitle': 'Not shown here',
  'errorPage.retrying': 'This page tries again automatically.',
  'errorPage.reload': 'Then reload the page.',
  'errorPage.learnMore': 'What this means',

  // The titles of the error page, by problem code.
  'errorPage.title.request.ambiguous-host': 'The request does not name exactly one host.',
  'errorPage.title.request.wrong-host': 'This service does not serve that host.',
  'errorPage.title.request.not-acceptable':
    'The route cannot produce any of the accepted media types.',
  'errorPage.title.token.missing': 'No API token was sent.',
  'errorPage.title.token.malformed': 'The text is not a Cloche token.',
  'errorPage.title.token.unknown': 'The token does not exist on this service.',
  'errorPage.title.token.revoked': 'The token was revoked.',
  'errorPage.title.token.expired': 'The token has expired.',
  'errorPage.title.token.design': "The design is outside the token's scope.",
  'errorPage.title.embed.placeholder': 'The HTML still contains the token placeholder.',
  'errorPage.title.embed.secret-token': 'A secret token is used in a public page.',
  'errorPage.title.embed.prefetch': 'Designs cannot be prefetched.',
  'errorPage.title.embed.not-an-iframe': 'Designs can be shown in an iframe only.',
  'errorPage.title.embed.origin': "The origin of the page is not in the token's list.",
  'errorPage.title.embed.unverified-origin': 'The origin of the embedding page cannot be verified.',
  'errorPage.title.design.unknown': 'There is no such design.',
  'errorPage.title.design.failed': 'The file could not be processed.',
  'errorPage.title.design.not-ready': 'The design is still being processed.',
  'errorPage.title.server.failed': 'The service failed to handle the request.',
} as const;

export type MessageKey = keyof typeof en;

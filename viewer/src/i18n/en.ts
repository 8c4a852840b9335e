/**
 * Every text that visitors read, in English. The other files of this folder have the translations. The build
 * writes the texts that the first frame needs to the framed document, those of the controls to a file of their own,
 * and all texts to `dist/i18n`, which the server reads for its pages. In the browser, the viewer has only the
 * texts of one language.
 */
export const en = {
  'view.roleDescription': '3D design',
  'view.keyboardHelp':
    'Rotate with the arrow keys, move with Shift and the arrow keys, zoom with plus and minus, reset with R, help with the question mark.',
  'view.keyboardHelpOrbit':
    'Rotate with the arrow keys, reset with R, help with the question mark.',
  'view.reset': 'Reset view',
  'view.zoomIn': 'Zoom in',
  'view.zoomOut': 'Zoom out',
  'view.rotateLeft': 'Rotate left',
  'view.rotateRight': 'Rotate right',
  'view.rotateUp': 'Rotate up',
  'view.rotateDown': 'Rotate down',
  'view.fromTop': 'View from above',
  'view.fromBelow': 'View from below',
  'view.fromSide': 'View from the {direction}',
  'view.fromSideAbove': 'View from the {direction} and above',
  'view.fromSideBelow': 'View from the {direction} and below',
  'view.left': '{angle} left',
  'view.right': '{angle} right',
  'view.up': '{angle} up',
  'view.down': '{angle} down',
  'view.zoom': 'Zoom {percent}',
  'view.moved': 'View moved',
  'view.default': 'Default view',

  'direction.front': 'front',
  'direction.frontRight': 'front right',
  'direction.right': 'right',
  'direction.backRight': 'back right',
  'direction.back': 'back',
  'direction.backLeft': 'back left',
  'direction.left': 'left',
  'direction.frontLeft': 'front left',

  'hint.zoom': '{key} + scroll to zoom',
  'hint.touch': 'Use two fingers to move the model',
  'hint.keyCommand': '⌘',
  'hint.keyControl': 'Ctrl',

  'toolbar.label': 'Controls',
  'toolbar.more': 'More',
  'toolbar.close': 'Close',

  'help.title': 'Help',
  'help.rotate': 'Rotate',
  'help.zoom': 'Zoom',
  'help.move': 'Move',
  'help.focus': 'Look closer at a point',
  'help.scroll': 'Scroll the page',
  'help.mouse': 'Mouse',
  'help.mouse.rotate': 'Drag',
  'help.mouse.zoom': '{key} + wheel',
  'help.mouse.zoomPlain': 'Wheel',
  'help.mouse.move': 'Drag with the right button',
  'help.mouse.focus': 'Double-click',
  'help.touch': 'Touch',
  'help.touch.rotate': 'Swipe sideways',
  'help.touch.zoom': 'Pinch',
  'help.touch.move': 'Drag with two fingers',
  'help.touch.focus': 'Double-tap',
  'help.touch.scroll': 'Swipe up or down',
  'help.keyboard': 'Keyboard',
  'help.keyboard.rotate': 'Arrow keys',
  'help.keyboard.zoom': '+ and −',
  'help.keyboard.move': 'Shift + arrow keys',
  'help.keyboard.reset': 'R',
  'help.keyboard.toolbar': 'Tab, then arrow keys',
  'help.keyboard.help': '?',
  'help.keyboard.close': 'Esc',

  'loading.label': 'Loading',
  'loading.start': 'Load 3D view',
  'previewNotice.text': 'Only a preview could be loaded.',

  'animation.play': 'Play animation',
  'animation.pause': 'Pause animation',
  'animations.label': 'Animations',
  'animations.time': 'Time',
  'animations.position': '{time} of {duration}',
  'animations.positionShort': '{time} / {duration}',
  'rotation.pause': 'Pause rotation',
  'rotation.resume': 'Resume rotation',
  'variants.label': 'Variants',
  'variants.selected': 'Variant: {name}',
  'variants.original': 'Original',
  'parts.label': 'Parts',
  'parts.unnamed': 'Part {number}',
  'parts.search': 'Search parts',
  'parts.noneFound': 'No parts found',
  'parts.found': '{count, plural, one {# part found} other {# parts found}}',
  'parts.isolate': 'Show only this',
  'parts.showAll': 'Show all',
  'parts.shown': '{name}: shown',
  'parts.hidden': '{name}: hidden',
  'parts.isolated': 'Only {name} is shown',
  'parts.allShown': 'All parts are shown',
  'fullscreen.enter': 'Fullscreen',
  'fullscreen.exit': 'Exit fullscreen',

  'recovery.retry': 'Try again',
  'recovery.reload': 'Reload',
  forAuthor: 'For the site’s author',

  // `advice` is for the author of the page around the iframe, all other texts are for its visitor.
  'refused.title': 'This 3D view is not available here.',
  'refused.topLevel.advice':
    'This URL works in an iframe only. Paste the HTML into a page, instead of opening or linking the URL.',
  'refused.ancestor.advice':
    'A page around this iframe is on {origin}, and the token in the URL of the iframe does not list it. If the 3D view may be shown there, add {origin} to the origins of the token.',
  'refused.hiddenAncestor.advice':
    'A page around this iframe hides its origin, and the token in the URL of the iframe lists an http origin. Browsers do not tell http and https apart when they check pages that are hidden. Remove referrerpolicy="no-referrer" from the iframes, or list https origins only.',

  'start.failed.title': 'The 3D view could not be loaded.',
  'start.failed.text': 'Check your connection.',
  'start.failed.advice':
    'A script of the viewer did not run. The connection failed, or an extension or a proxy blocks it: {reason}',
  'start.slow.title': 'The 3D view is still loading.',
  'start.slow.text': 'The connection is slow, or it was lost.',
  'start.slow.advice': 'The scripts of the viewer have not arrived after 15 seconds.',
  'start.offline.text': 'There is still no connection.',
  'start.sandbox.advice':
    'The iframe has the attribute sandbox without allow-same-origin, so it cannot load its files. Add allow-same-origin and allow-scripts to the attribute, or remove it.',
  'start.noScript.text': 'It needs JavaScript, which is turned off here.',
  'start.noScript.advice':
    'No script of this frame ran. If the iframe has the attribute sandbox, it must contain allow-scripts and allow-same-origin. Otherwise the connection failed, or an extension or a proxy blocks scripts.',

  'error.offline.title': 'The 3D view could not be loaded.',
  'error.offline.text': 'Check your connection.',
  'error.offline.advice': 'A file of the design could not be requested.',
  'error.interrupted.title': 'The 3D view could not be loaded.',
  'error.interrupted.text': 'The connection was lost.',
  'error.interrupted.advice': 'A file of the design arrived only in part.',
  'error.script.title': 'The 3D view could not be loaded.',
  'error.script.text': 'Check your connection.',
  'error.script.advice': 'A script of the viewer could not be loaded.',
  'error.controls.title': 'The controls could not be loaded.',
  'error.controls.advice': 'The script with the controls could not be loaded.',
  'error.grant-expired.title': 'The 3D view could not be loaded.',
  'error.grant-expired.text': 'This page has been open for a long time.',
  'error.grant-expired.advice': 'The asset grant of this document is not valid any more.',
  'error.processing-failed.title': 'This 3D view cannot be shown.',
  'error.processing-failed.advice':
    'The file of the design could not be processed. The API names the reason to the owner of the design.',
  'error.refused.title': 'This 3D view is not available here.',
  'error.refused.advice': 'The service refused a file of the design.',
  'error.unavailable.title': 'This 3D view is not available right now.',
  'error.unavailable.text': 'Try again in a moment.',
  'error.unavailable.advice': 'The service cannot send a file of the design.',
  'error.invalid-file.title': 'This 3D view cannot be shown.',
  'error.invalid-file.advice': 'The file is damaged or is not valid glTF 2.0.',
  'error.unsupported-extension.title': 'This 3D view cannot be shown.',
  'error.unsupported-extension.advice':
    'The file needs glTF extensions that this viewer does not support: {extensions}.',
  'error.missing-resource.title': 'This 3D view cannot be shown.',
  'error.missing-resource.advice': 'The file refers to “{uri}”, which is missing.',
  'error.empty-scene.title': 'This 3D view is empty.',
  'error.empty-scene.advice': 'The file is valid, but contains nothing visible.',
  'error.no-webgl.title': 'This browser cannot show 3D.',
  'error.no-webgl.text': 'Try another browser or device.',
  'error.no-webgl.advice': 'WebGL 2 is not available or is turned off.',
  'error.context-lost.title': 'The 3D view has stopped.',
  'error.context-lost.text': 'The browser has stopped its graphics.',
  'error.context-lost.advice': 'The WebGL context was lost, and could not be restored.',
  'error.failed.title': 'This 3D view cannot be shown.',
  'error.failed.advice': 'An unexpected error occurred.',

  'errorPage.documentTitle': '3D view',
  'errorPage.title': 'This 3D view is not available here.',
  'errorPage.title.request.rate-limited': 'This 3D view is not available right now.',
  'errorPage.title.embed.preview-link': 'This preview link does not work, or no longer.',
  'errorPage.title.design.not-shared': 'This 3D view is not shared, or no longer.',
  'errorPage.title.design.not-ready': 'This 3D view is being prepared.',
  'errorPage.title.server.failed': 'This 3D view is not available right now.',
  'errorPage.title.server.damaged': 'This 3D view is not available right now.',
  'errorPage.retrying': 'This page tries again automatically.',
  'errorPage.learnMore': 'What this means',

  // What the author of the page around the iframe can do, by problem code. Any site may frame the error
  // page: these texts say nothing about the token or the design.
  'errorPage.advice.request.ambiguous-host':
    'The request names more than one host. Check the proxy in front of the service.',
  'errorPage.advice.request.wrong-host':
    'The service does not have this address. Create the HTML again, and do not change the URL in it.',
  'errorPage.advice.request.not-acceptable':
    'The browser, or a proxy, accepts neither HTML nor JSON. Check what changes the Accept header.',
  'errorPage.advice.request.rate-limited':
    'Too many 3D views were requested from this network. Wait a minute, and reload the page. A proxy in front of the service must be in CLOCHE_TRUSTED_PROXIES.',
  'errorPage.advice.token.missing':
    'The URL of the iframe has no token. Create one and write it after “?token=”.',
  'errorPage.advice.embed.placeholder':
    'The HTML still contains CLOCHE_EMBED_TOKEN. Replace it with a token that can only embed and lists this site.',
  'errorPage.advice.token.malformed':
    'The token in the URL of the iframe is incomplete or mistyped. Copy it again.',
  'errorPage.advice.embed.secret-token':
    'This page contains a secret token, and everybody can read the page. Revoke the token now, and use one that can only embed.',
  'errorPage.advice.token.unknown':
    'The token in the URL of the iframe does not exist on this service. Copy it again, or create one.',
  'errorPage.advice.token.revoked':
    'The token in the URL of the iframe was revoked. Create another one, and replace it in the HTML.',
  'errorPage.advice.token.expired':
    'The token in the URL of the iframe has expired. Create another one, and replace it in the HTML.',
  'errorPage.advice.token.user-disabled':
    'The user of the token in the URL of the iframe is disabled. Ask the operator of the service.',
  'errorPage.advice.token.design':
    'The token in the URL of the iframe is limited to other designs. Create one for this design.',
  'errorPage.advice.embed.prefetch':
    'The browser requested the 3D view in advance. It loads when the page is shown; nothing needs to be changed.',
  'errorPage.advice.embed.not-an-iframe':
    'This URL works in an iframe only. Paste the HTML into a page, instead of opening or linking the URL.',
  'errorPage.advice.embed.origin':
    'This page is on {origin}, and the token in the URL of the iframe does not list it. If the 3D view may be shown there, add {origin} to the origins of the token.',
  'errorPage.advice.embed.origin.unnamed':
    'The page around the iframe has no origin that a token can list: it is in a sandboxed frame, opened from disk, or at an IPv6 address. Serve it from a listed site.',
  'errorPage.advice.embed.unverified-origin':
    'The browser did not say which page shows the 3D view. Keep referrerpolicy="strict-origin" on the iframe, and check that no proxy removes the headers Referer and Sec-Fetch-Dest.',
  'errorPage.advice.embed.preview-link':
    'The link is incomplete, or its ten minutes are over. Create another one.',
  'errorPage.advice.design.unknown':
    'The design does not exist or was deleted. Remove the HTML, or replace it with that of another design.',
  'errorPage.advice.design.not-shared':
    'The design does not exist, or its owner no longer shares it with everyone. Remove the HTML, or ask the owner.',
  'errorPage.advice.design.failed':
    'The file of the design could not be processed. The API names the reason to the owner of the design.',
  'errorPage.advice.design.not-ready':
    'The file of the design is being processed. This takes some seconds.',
  'errorPage.advice.server.failed':
    'An internal error occurred. The log of the service has it, under the id in the header X-Request-Id of this response.',
  'errorPage.advice.server.damaged':
    'The data of the token or of the design is damaged. Create another token, or ask the operator of the service.',

  // The title of an iframe for a client that may not read the name of the design.
  'snippet.genericName': '3D view',

  'sharePage.title': '{name} · 3D view',

  'previewPage.title': 'Preview',
  'previewPage.validity': 'Preview. This link works until {time}.',
} as const;

export type MessageKey = keyof typeof en;

/**
 * The errors of the viewer and of its SDK, by code, with English text for developers. Has no dependencies: the viewer
 * and the SDK import it.
 *
 * Pages rely on the codes: never rename or reuse a released one. When a design may not be shown, the code is one of
 * problem.ts, such as `embed.origin`.
 */
export const viewerProblems = {
  // A call failed.
  'viewer.invalid-argument': 'An argument of the method is not valid.',
  'viewer.unknown-method': 'The viewer does not have this method.',
  'viewer.unknown-part': 'The model has no part with this id.',
  'viewer.unknown-variant': 'The model has no variant with this name.',
  'viewer.unknown-animation': 'The model has no animation with this name.',
  'viewer.no-animation': 'The model has no animation.',
  'viewer.not-ready': 'The model could not be loaded, so the method has nothing to work on.',
  'viewer.screenshot': 'The picture could not be drawn or encoded.',
  'viewer.too-many-calls': 'Too many calls are waiting for their answers.',
  'viewer.timeout': 'The viewer did not answer in time.',
  'viewer.closed': 'The viewer has been removed or has loaded its document again.',

  // The design could not be shown.
  'viewer.script': 'A script of the viewer could not be loaded.',
  'viewer.slow': 'The scripts of the viewer did not start in time.',
  'viewer.controls':
    'The script with the controls and methods of the viewer could not be loaded, or has not arrived after 30 seconds.',
  'viewer.offline': 'The design could not be requested.',
  'viewer.interrupted': 'The connection was lost while the design was loading.',
  'viewer.grant-expired': 'The document is too old to load its design: load it again.',
  'viewer.processing-failed':
    'The preview was shown early, but no model could be made of the file.',
  'viewer.refused': 'The service refused to send the design.',
  'viewer.unavailable': 'The service cannot send the design at the moment.',
  'viewer.invalid-file': 'The file of the design is not valid.',
  'viewer.unsupported-extension':
    'The file of the design needs a glTF extension that is not supported.',
  'viewer.missing-resource': 'The file of the design refers to another file.',
  'viewer.empty-scene': 'The design has nothing that can be shown.',
  'viewer.no-webgl': 'The browser does not provide WebGL 2.',
  'viewer.context-lost': 'The browser has stopped the 3D view and did not start it again.',
  'viewer.failed': 'The viewer failed.',
} as const;

export type ViewerProblemCode = keyof typeof viewerProblems;

/** An error of the viewer. The message is for developers. */
export class ViewerProblem extends Error {
  override readonly name = 'ViewerProblem';
  readonly code: ViewerProblemCode;

  /** @param detail what was wrong in this case, and what would be right; follows the text of the code */
  constructor(code: ViewerProblemCode, detail?: string) {
    super([viewerProblems[code], detail].filter(Boolean).join(' '));
    this.code = code;
  }
}

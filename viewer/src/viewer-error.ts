import type { OverlayMessage } from './ui/message-overlay.ts';

/** What the visitor can do about it: ask again, load the frame anew, or nothing. */
export type Recovery = 'retry' | 'reload' | undefined;

/** Everything that keeps a design from being seen, in words for whoever looks at the frame. */
export const viewerErrors = {
  offline: {
    title: 'The design could not be loaded',
    detail: 'The connection failed. Check that you are online.',
    cure: 'retry',
  },
  interrupted: {
    title: 'The design arrived only in part',
    detail: 'The connection broke off while it was loading.',
    cure: 'retry',
  },
  'grant-expired': {
    title: 'This page has been open for a while',
    detail: 'The permission to load the design has run out. Reload the page to see it.',
    cure: 'reload',
  },
  refused: {
    title: 'The design could not be loaded',
    detail: 'The service refused to hand it out.',
    cure: undefined,
  },
  unavailable: {
    title: 'The design cannot be loaded just now',
    detail: 'The service has a problem. Please try again in a moment.',
    cure: 'retry',
  },
  'invalid-file': {
    title: 'This design cannot be shown',
    detail: 'Its file is damaged or is not valid glTF 2.0.',
    cure: undefined,
  },
  'unsupported-extension': {
    title: 'This design cannot be shown',
    detail: 'Its file needs a glTF extension that this viewer does not read.',
    cure: undefined,
  },
  'missing-resource': {
    title: 'This design is not complete',
    detail: 'Its file refers to other files that are not part of it.',
    cure: undefined,
  },
  'empty-scene': {
    title: 'There is nothing to see',
    detail: 'The file is fine, but its scene holds no shapes.',
    cure: undefined,
  },
  'no-webgl': {
    title: 'This browser can’t show 3D',
    detail:
      'WebGL 2 is missing or switched off here. Another browser or device may show the design.',
    cure: undefined,
  },
  'context-lost': {
    title: 'The picture was lost',
    detail: 'The browser took the graphics memory back and has not returned it.',
    cure: 'reload',
  },
  failed: {
    title: 'This design cannot be shown',
    detail: 'Something went wrong while it was being prepared.',
    cure: 'reload',
  },
} as const satisfies Record<string, OverlayMessage & { cure: Recovery }>;

export type ViewerErrorCode = keyof typeof viewerErrors;

/** A failure the visitor should read about. `cause` is for whoever debugs. */
export class ViewerError extends Error {
  override readonly name = 'Trouble';
  readonly code: ViewerErrorCode;

  constructor(
    kind: ViewerErrorCode,
    options: { detail?: string | undefined; cause?: unknown } = {},
  ) {
    super(options.detail ?? viewerErrors[kind].detail, { cause: options.cause });
    this.code = kind;
  }
}

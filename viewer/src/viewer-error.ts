import { translate } from './i18n/translate.ts';

/** What a visitor can do about an error: request the design again, reload the document, or nothing. */
export type Recovery = 'retry' | 'reload' | undefined;

/** Every error that a visitor may see. Its texts are `error.<code>.title` and `error.<code>.detail`. */
const recoveries = {
  offline: 'retry',
  interrupted: 'retry',
  'grant-expired': 'reload',
  refused: undefined,
  unavailable: 'retry',
  'invalid-file': undefined,
  'unsupported-extension': undefined,
  'missing-resource': undefined,
  'empty-scene': undefined,
  'no-webgl': undefined,
  'context-lost': 'reload',
  failed: 'reload',
} as const satisfies Record<string, Recovery>;

export type ViewerErrorCode = keyof typeof recoveries;

/** An error that is shown to the visitor: its message is the detail. `cause` is for debugging. */
export class ViewerError extends Error {
  override readonly name = 'ViewerError';
  readonly code: ViewerErrorCode;

  constructor(
    code: ViewerErrorCode,
    options: { detail?: string | undefined; cause?: unknown } = {},
  ) {
    super(options.detail ?? translate(`error.${code}.detail`), { cause: options.cause });
    this.code = code;
  }

  get title(): string {
    return translate(`error.${this.code}.title`);
  }

  get recovery(): Recovery {
    return recoveries[this.code];
  }
}

/** Any error as one that can be shown. */
export function toViewerError(error: unknown): ViewerError {
  return error instanceof ViewerError ? error : new ViewerError('failed', { cause: error });
}

import { type MessageParameters, translate } from './i18n/translate.ts';

/** What a visitor can do about an error: request the design again, reload the document, or nothing. */
type Recovery = 'retry' | 'reload' | undefined;

/** The recovery from every error that a visitor can see, by code. */
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

type ViewerErrorOptions = {
  /** Replaces the text `error.<code>.detail`. */
  detail?: string | undefined;
  /** Values for the placeholders of that text. */
  parameters?: MessageParameters;
  /** For debugging. */
  cause?: unknown;
};

/** An error that is shown to the visitor. The message is the detail. */
export class ViewerError extends Error {
  override readonly name = 'ViewerError';
  readonly code: ViewerErrorCode;

  constructor(code: ViewerErrorCode, { detail, parameters, cause }: ViewerErrorOptions = {}) {
    super(detail ?? translate(`error.${code}.detail`, parameters), { cause });
    this.code = code;
  }

  get title(): string {
    return translate(`error.${this.code}.title`);
  }

  get recovery(): Recovery {
    return recoveries[this.code];
  }
}

/** Converts any error to one that can be shown. */
export function toViewerError(error: unknown): ViewerError {
  return error instanceof ViewerError ? error : new ViewerError('failed', { cause: error });
}

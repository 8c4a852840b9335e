import { type MessageParameters, translate } from './i18n/translate.ts';

/** What a visitor can do about an error: request the design again, reload the document, or nothing. */
type Recovery = 'retry' | 'reload' | undefined;

/**
 * The recovery from every error that a visitor can see, by code. A script that could not be loaded needs a
 * reload: browsers may remember the failure as long as the document exists.
 */
const recoveries = {
  offline: 'retry',
  interrupted: 'retry',
  script: 'reload',
  controls: 'reload',
  'grant-expired': 'reload',
  refused: undefined,
  unavailable: 'retry',
  'invalid-file': undefined,
  'unsupported-extension': undefined,
  'missing-resource': undefined,
  'empty-scene': undefined,
  'no-webgl': undefined,
  'context-lost': 'retry',
  failed: 'reload',
} as const satisfies Record<string, Recovery>;

export type ViewerErrorCode = keyof typeof recoveries;

/** The errors with a text of their own for the visitor, below the title. */
const CODES_WITH_TEXT = [
  'offline',
  'interrupted',
  'script',
  'grant-expired',
  'unavailable',
  'no-webgl',
  'context-lost',
] as const satisfies ViewerErrorCode[];

type ViewerErrorOptions = {
  /** Replaces the text `error.<code>.advice`: the detail of a problem, in English. */
  advice?: string | undefined;
  /** Values for the placeholders of that text. */
  parameters?: MessageParameters;
  /** For debugging. */
  cause?: unknown;
};

/** An error that is shown to the visitor. The message is for the author of the page around the iframe. */
export class ViewerError extends Error {
  override readonly name = 'ViewerError';
  readonly code: ViewerErrorCode;
  readonly hasEnglishAdvice: boolean;

  constructor(code: ViewerErrorCode, { advice, parameters, cause }: ViewerErrorOptions = {}) {
    const text = advice ?? translate(`error.${code}.advice`, parameters);
    super(cause instanceof Error ? `${text} (${cause.message})` : text, { cause });
    this.code = code;
    this.hasEnglishAdvice = advice !== undefined;
  }

  /** For the visitor. */
  get title(): string {
    return translate(`error.${this.code}.title`);
  }

  /** For the visitor, below the title. */
  get text(): string | undefined {
    const code = CODES_WITH_TEXT.find((candidate) => candidate === this.code);
    return code && translate(`error.${code}.text`);
  }

  get recovery(): Recovery {
    return recoveries[this.code];
  }
}

/** Converts any error to one that can be shown. */
export function toViewerError(error: unknown): ViewerError {
  return error instanceof ViewerError ? error : new ViewerError('failed', { cause: error });
}

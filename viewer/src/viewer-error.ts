import { hasText, type MessageParameters, translate } from './i18n/translate.ts';

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
  'processing-failed': undefined,
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

/** An error that is shown to the visitor. Its texts are read when it is shown: some are loaded only then. */
export class ViewerError extends Error {
  override readonly name = 'ViewerError';
  readonly code: ViewerErrorCode;
  readonly hasEnglishAdvice: boolean;
  readonly #options: ViewerErrorOptions;

  constructor(code: ViewerErrorCode, options: ViewerErrorOptions = {}) {
    super(code, { cause: options.cause });
    this.code = code;
    this.hasEnglishAdvice = options.advice !== undefined;
    this.#options = options;
  }

  /** For the visitor. */
  get title(): string {
    return translate(`error.${this.#textCode}.title`);
  }

  /** For the visitor, below the title. */
  get text(): string | undefined {
    const code = CODES_WITH_TEXT.find((candidate) => candidate === this.#textCode);
    return code && translate(`error.${code}.text`);
  }

  /** For the author of the page around the iframe. */
  get advice(): string {
    const { advice, parameters, cause } = this.#options;
    const text = advice ?? translate(`error.${this.#textCode}.advice`, parameters);
    return cause instanceof Error ? `${text} (${cause.message})` : text;
  }

  /** Whether its own texts are there. Until then, the texts of `failed` are in their place. */
  get hasTexts(): boolean {
    return hasText(`error.${this.code}.title`);
  }

  get #textCode(): ViewerErrorCode {
    return this.hasTexts ? this.code : 'failed';
  }

  get recovery(): Recovery {
    return recoveries[this.code];
  }
}

/** Converts any error to one that can be shown. */
export function toViewerError(error: unknown): ViewerError {
  return error instanceof ViewerError ? error : new ViewerError('failed', { cause: error });
}

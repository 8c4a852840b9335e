/**
 * The errors of the SDK itself, by code, with English text. The errors of the viewer have codes that begin with `viewer.`,
 * and those of the service, such as `embed.origin`, are explained in docs/problems.md.
 */
export const sdkProblems = {
  'sdk.invalid-source':
    'A viewer needs an iframe with a src, or the option src, or design, token and service.',
  'sdk.timeout': 'The viewer did not answer in time.',
  'sdk.disconnected': 'The viewer has been unloaded, or another script has connected to it.',
  'sdk.destroyed': 'The viewer has been destroyed.',
  'sdk.unsupported-method': 'The viewer does not have this method.',
  'sdk.unsupported-version': 'The viewer does not speak this version of the protocol.',
  'sdk.invalid-argument': 'An argument cannot be sent to the viewer.',
} as const;

export type SdkProblemCode = keyof typeof sdkProblems;

/**
 * Why a call failed, or why there is no viewer. `code` is stable; `message` is for developers.
 *
 * @example viewer.setVariant('Oak').catch((error) => console.log(error.code)); // viewer.unknown-variant
 */
export class ClocheError extends Error {
  override readonly name = 'ClocheError';
  /** One of `sdkProblems`, of the viewer, or of the service. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Creates an error of the SDK; `detail` follows the text of the code. */
export function createSdkError(code: SdkProblemCode, detail = ''): ClocheError {
  return new ClocheError(code, sdkProblems[code] + detail);
}

import { ApiError } from '../api/api-error.ts';
import { texts } from '../i18n/en.ts';

/** Says why a session has ended, in words for the person whose session it was. */
export function explainSessionEnd(error: Error): Error {
  const code = error instanceof ApiError ? error.problem?.code : undefined;
  if (code === 'token.missing') return new Error(texts.sessions.signedOut);
  if (code === 'session.ended') return new Error(texts.sessions.ended);
  if (code !== undefined) return new Error(texts.sessions.tokenEnded[code] ?? texts.sessions.ended);
  return error;
}

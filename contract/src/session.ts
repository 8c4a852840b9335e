import Type, { type Static } from 'typebox';
import { Capability } from './token.ts';

/**
 * A session of a page of the service. Its token string replaces the API token in the `Authorization`
 * header, works on pages of the service only, and expires soon.
 */
export const Session = Type.Object({
  token: Type.String({
    description: 'The session token. Only pages of this service can use it.',
    examples: ['cloche_ss_…'],
  }),
  expiresAt: Type.String({ format: 'date-time' }),
  capabilities: Type.Array(Capability, {
    description: 'The capabilities of the API token that the session was started with.',
  }),
});
export type Session = Static<typeof Session>;

import Type, { type Static } from 'typebox';
import { Capability } from './token.ts';

/** A browser that is signed in on the pages of the service. Its cookie acts on behalf of an API token. */
export const Session = Type.Object({
  id: Type.String({ examples: ['ses_5vNc8Wq1rT0yB3xK'] }),
  tokenId: Type.String({
    description: 'The token that the session acts on behalf of. The session ends with it.',
  }),
  user: Type.String({ description: 'The id of the user of the token.' }),
  operator: Type.Boolean({ description: 'Whether this user is an operator.' }),
  capabilities: Type.Array(Capability, { description: 'The capabilities of the token.' }),
  origins: Type.Array(Type.String(), {
    description:
      'The origins that the token, and tokens that it creates, are limited to. Empty: none.',
  }),
  designs: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description:
      'The ids of the designs that the token is limited to; null: all designs of its user.',
  }),
  tokenExpiresAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'The end of the token, and the latest end of tokens that it creates; null: none.',
  }),
  userAgent: Type.String({
    description: 'The browser and its system, as it named them: `Firefox on Linux`.',
  }),
  createdAt: Type.String({ format: 'date-time' }),
  lastUsedAt: Type.String({ format: 'date-time', description: 'Updated every minute.' }),
  expiresAt: Type.String({
    format: 'date-time',
    description:
      'The end of the session, if it is used until then. It also ends after twelve hours without a request.',
  }),
  current: Type.Boolean({ description: 'Whether the session is that of this request.' }),
});
export type Session = Static<typeof Session>;

/** A page of sessions. */
export const SessionList = Type.Object({
  items: Type.Array(Session),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
});
export type SessionList = Static<typeof SessionList>;

/** Signs in with a one-time link. */
export const SignInRequest = Type.Object(
  {
    code: Type.String({
      maxLength: 100,
      description: 'The part of the link after `#sign-in=`.',
      examples: ['cloche_ss_…'],
    }),
  },
  { additionalProperties: false },
);
export type SignInRequest = Static<typeof SignInRequest>;

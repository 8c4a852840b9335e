import { Session } from '@cloche/contract/session';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import Type from 'typebox';
import type { Signer } from '../http/signer.ts';
import { createSession, signSession } from './session.ts';

export type SessionRouteDependencies = {
  /** The signer for SESSION_PURPOSE. */
  sessionSigner: Signer;
  now: () => Date;
};

/** POST /v1/sessions: exchanges an API token, or a session that ends soon, for a session. */
export const sessionRoutes: FastifyPluginAsyncTypebox<SessionRouteDependencies> = async (
  app,
  { sessionSigner, now },
) => {
  app.post(
    '/',
    {
      config: { auth: ['read', 'write'], ownPageOnly: true, idempotencyKey: false },
      schema: {
        tags: ['tokens'],
        summary: 'Start a session of a page of this service',
        description:
          'For the pages of this service only, which exchange your secret token for a session token and forget it. The session token acts on behalf of your token, works on these pages only, and expires after one hour. A page that stays open renews it, for twelve hours at most. Revoking your token ends it.',
        // A request without a body is validated as null.
        body: Type.Union([Type.Object({}, { additionalProperties: false }), Type.Null()], {
          examples: [{}],
        }),
        response: { 200: Session },
      },
    },
    async ({ token, session: previous }) => {
      const time = now();
      const session = createSession(token, previous?.startedAt ?? time, time);
      return {
        token: signSession(sessionSigner, session),
        expiresAt: session.expiresAt.toISOString(),
        capabilities: [...token.capabilities],
      };
    },
  );
};

import { Problem } from '@cloche/contract/problem';
import type { CreatedUser, SignInLink, UpdateUserRequest, User } from '@cloche/contract/user';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import type { Database } from '../database/database.ts';
import { runTransaction } from '../database/transaction.ts';
import { DEFAULT_LIMIT } from '../http/pagination.ts';
import type { PublicHost } from '../http/public-host.ts';
import { formatQueryCursor, parseQueryCursor } from '../http/query-cursor.ts';
import { sendStoredResponse } from '../http/request-idempotency.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { createFirstSignInLink, createSignInLink } from '../tokens/create-sign-in-link.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import { createUser } from '../users/user.ts';
import type { UserStore, UserSummary } from '../users/user-store.ts';
import type { StorageCounter } from './storage-counter.ts';
import {
  CREATE_LINK_SCHEMA,
  CREATE_USER_SCHEMA,
  LIST_USERS_SCHEMA,
  READ_USER_SCHEMA,
  UPDATE_USER_SCHEMA,
} from './user-schemas.ts';

export type UserRouteDependencies = {
  database: Database;
  users: UserStore;
  tokens: Pick<TokenStore, 'invalidateAll'>;
  quotas: Pick<Quotas, 'toLimits'>;
  storage: StorageCounter;
  publicHost: Pick<PublicHost, 'origin'>;
  now: () => Date;
};

/** /v1/users: list, add and change users. */
export const userRoutes: FastifyPluginAsyncTypebox<UserRouteDependencies> = async (
  app,
  dependencies,
) => {
  const { database, users, publicHost, now } = dependencies;
  const toUser = createUserSerializer(dependencies);
  const linkOptions = () => ({ database, publicUrl: publicHost.origin, now: now() });
  const createLink = async (userId: string): Promise<SignInLink> => {
    const { url, expiresAt } = await createSignInLink(userId, linkOptions());
    return { url, expiresAt: expiresAt.toISOString() };
  };

  app.get('/', { config: { auth: 'read' }, schema: LIST_USERS_SCHEMA }, async ({ query }) => {
    const { limit = DEFAULT_LIMIT, cursor } = query;
    const filter = { list: 'users' };
    const [createdAt, id] = cursor === undefined ? [] : parseQueryCursor(cursor, filter, 2);
    const after = createdAt === undefined ? undefined : { createdAt, id: id ?? '' };
    const found = await users.listPage({ limit: limit + 1, after });
    const last = found.length > limit ? found[limit - 1] : undefined;
    return {
      items: await Promise.all(found.slice(0, limit).map(toUser)),
      nextCursor:
        last === undefined
          ? null
          : formatQueryCursor(filter, [last.createdAt.toISOString(), last.id]),
    };
  });

  app.post(
    '/',
    { config: { auth: 'write', idempotencyKey: true }, schema: CREATE_USER_SCHEMA },
    async (request, reply) => {
      const response = await request.idempotency.runOnce(async (save) => {
        const user = createUser(request.body.name, { operator: false }, now());
        const { url, expiresAt, add } = createFirstSignInLink(user.id, linkOptions());
        const summary = await toUser({ ...user, designCount: 0, tokenCount: 0 });
        const response = {
          status: 201,
          location: `/v1/users/${user.id}`,
          body: { ...summary, signInLink: { url, expiresAt: expiresAt.toISOString() } },
        };
        await runTransaction(database, async (trx) => {
          // First: a retry on another node is not refused because of the name.
          await save(trx, response);
          await users.add(user, trx);
          await add(trx);
        });
        logChange(request, { createdUser: user.id }, 'a user was added');
        return response;
      });
      return sendStoredResponse(reply, response, response.body as CreatedUser);
    },
  );

  app.get('/:id', { config: { auth: 'read' }, schema: READ_USER_SCHEMA }, async (request) =>
    toUser(await getUser(users, request.params.id)),
  );

  app.patch('/:id', { config: { auth: 'write' }, schema: UPDATE_USER_SCHEMA }, async (request) => {
    const { id } = await getUser(users, request.params.id);
    await updateUser(id, request.body, dependencies);
    logChange(request, { changedUser: id, ...request.body }, 'a user was changed');
    return toUser(await getUser(users, id));
  });

  app.post(
    '/:id/sign-in-link',
    { config: { auth: 'write', idempotencyKey: false }, schema: CREATE_LINK_SCHEMA },
    async (request, reply) => {
      const { id, name, disabledAt } = await getUser(users, request.params.id);
      if (disabledAt !== undefined)
        throw new Problem('token.user', { detail: `The user ${name} is disabled.` });
      logChange(request, { linkFor: id }, 'a link to sign in was created');
      reply.code(201);
      return createLink(id);
    },
  );
};

/** @throws {Problem} user.operator */
async function updateUser(
  id: string,
  { active, maxMegabytes, maxDesigns }: UpdateUserRequest,
  { users, tokens, now }: UserRouteDependencies,
): Promise<void> {
  const user = await getUser(users, id);
  // The time of the first request is kept.
  const isChanged = active !== undefined && active !== (user.disabledAt === undefined);
  if (isChanged && user.operator) throw createOperatorError(user.name, active);
  const quotas = {
    ...(maxMegabytes !== undefined && { maxMegabytes: maxMegabytes ?? undefined }),
    ...(maxDesigns !== undefined && { maxDesigns: maxDesigns ?? undefined }),
  };
  if (Object.keys(quotas).length > 0) await users.setQuotas(id, quotas);
  if (!isChanged) return;
  await users.setDisabled(id, active ? undefined : now());
  tokens.invalidateAll();
}

/** Operators are disabled and enabled by commands only, so that a stolen token can neither lock them out nor bring one back. */
function createOperatorError(name: string, active: boolean): Problem {
  const verb = active ? 'Enable' : 'Disable';
  return new Problem('user.operator', {
    field: 'active',
    detail: `${name} is an operator. ${verb} it on the machine of the service: cloche-server users ${verb.toLowerCase()} ${name}`,
  });
}

/** @throws {Problem} user.unknown */
async function getUser(users: UserStore, id: string): Promise<UserSummary> {
  const user = await users.findSummary(id);
  if (user !== undefined) return user;
  throw new Problem('user.unknown', { field: 'path.id', detail: `There is no user "${id}".` });
}

function createUserSerializer({ quotas, storage }: UserRouteDependencies) {
  const toLimit = (value: number) => (value === 0 ? null : value);
  return async (user: UserSummary): Promise<User> => {
    const { id, name, operator, maxMegabytes = null, maxDesigns = null } = user;
    const { bytesByUser } = await storage.getCounts();
    const limits = quotas.toLimits(user);
    return {
      id,
      name,
      operator,
      active: user.disabledAt === undefined,
      createdAt: user.createdAt.toISOString(),
      disabledAt: user.disabledAt?.toISOString() ?? null,
      designs: user.designCount,
      tokens: user.tokenCount,
      storedBytes: bytesByUser.get(id) ?? 0,
      maxMegabytes,
      maxDesigns,
      limits: { bytes: toLimit(limits.bytes), designs: toLimit(limits.designs) },
    };
  };
}

/** Operators must find out who has changed what. */
function logChange({ log, token }: FastifyRequest, details: object, message: string): void {
  log.info({ operator: token.user, token: token.id, ...details }, message);
}

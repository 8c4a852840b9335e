import { parseArgs } from 'node:util';
import { CreateTokenRequest } from '@cloche/contract/token';
import { runTransaction } from '../database/transaction.ts';
import { createValidatorCompiler } from '../http/validator-compiler.ts';
import { parseListedOrigin } from '../tokens/origins.ts';
import { createToken, type NewToken } from '../tokens/token.ts';
import { parseCreateTokenRequest } from '../tokens/token-request.ts';
import { TokenStore } from '../tokens/token-store.ts';
import type { UserRecord } from '../users/user.ts';
import { UserStore } from '../users/user-store.ts';
import type { Command } from './command.ts';
import { findActiveUser } from './find-active-user.ts';
import { openServiceData } from './open-service-data.ts';
import { UsageError } from './usage-error.ts';

const OPTIONS = {
  capabilities: { type: 'string' },
  origins: { type: 'string' },
  designs: { type: 'string' },
  name: { type: 'string' },
  'expires-at': { type: 'string' },
  user: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** Creates a token. The token string is the only line on standard output. */
export const tokenCommand: Command = {
  summary: 'Create a token, on the machine of the service, while it runs or not.',
  usage: `Usage: cloche-server token --capabilities <list> [options]

Creates a token and prints it. It is not shown again. The service accepts it at once.

  --capabilities <list>  read, write, embed; several with commas
  --origins <list>       origins of pages that may use the token, with commas
  --designs <list>       ids or URIs of designs that the token is limited to, with commas
  --name <text>          a name for people, shown in lists
  --expires-at <time>    such as 2027-01-01T00:00:00Z
  --user <name or id>    default: the first operator
  --json                 print a JSON object with the token and its id`,

  async run(args, { config, output, now }) {
    const { values } = parseArgs({ args, options: OPTIONS });
    const request = toRequest(values);
    await using data = await openServiceData(config);
    const user = await findActiveUser(new UserStore(data.database), values.user);
    const { token, tokenString } = createToken(toNewToken(request, user, now()), now());
    const tokens = new TokenStore(data.database);
    await runTransaction(data.database, (trx) => tokens.add(token, trx));
    const { id, capabilities, origins } = token;
    if (values.json) {
      output.print(
        JSON.stringify({ token: tokenString, id, user: user.id, capabilities, origins }),
      );
      return;
    }
    output.print(tokenString);
    output.note(
      `Token ${id} of ${user.name} can ${capabilities.join(', ')}. It is not shown again.`,
    );
  },
};

type OptionValues = { [Name in Exclude<keyof typeof OPTIONS, 'json'>]?: string };

/** Checks the options as POST /v1/tokens checks its body. @throws {Problem} request.invalid */
function toRequest(values: OptionValues): CreateTokenRequest {
  if (values.capabilities === undefined) {
    throw new UsageError('--capabilities is missing. Example: --capabilities read,write,embed');
  }
  const request = {
    capabilities: splitList(values.capabilities),
    ...(values.origins !== undefined && { origins: splitList(values.origins) }),
    ...(values.designs !== undefined && { designs: splitList(values.designs).map(withoutPrefix) }),
    ...(values.name !== undefined && { name: values.name }),
    ...(values['expires-at'] !== undefined && { expiresAt: values['expires-at'] }),
    type: 'api' as const,
    user: '~',
  };
  const validate = createValidatorCompiler({ origin: parseListedOrigin })({
    schema: CreateTokenRequest,
    method: 'POST',
    url: '/v1/tokens',
    httpPart: 'body',
  });
  const result: unknown = validate(request);
  if (result !== true) throw (result as { error: Error }).error;
  return request as CreateTokenRequest;
}

/** Accepts a design URI in place of an id. */
const withoutPrefix = (text: string) => text.replace(/^cloche:design:/, '');

const splitList = (text: string) => text.split(',').map((item) => item.trim());

/** @throws {Problem} request.invalid, origin.invalid */
function toNewToken(request: CreateTokenRequest, user: UserRecord, now: Date): NewToken {
  const issuer = {
    id: undefined,
    operator: true,
    user: user.id,
    capabilities: ['read', 'write', 'embed'] as const,
    origins: [],
    designs: undefined,
    expiresAt: undefined,
  };
  return parseCreateTokenRequest(request, issuer, now);
}

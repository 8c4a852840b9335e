import { parseArgs } from 'node:util';
import { runTransaction } from '../database/transaction.ts';
import { MAX_QUOTA } from '../quotas/quota.ts';
import { createUser, type UserQuotas } from '../users/user.ts';
import { UserStore, type UserSummary } from '../users/user-store.ts';
import type { Command, CommandContext, CommandOutput } from './command.ts';
import { openServiceData, type ServiceData } from './open-service-data.ts';
import { UsageError } from './usage-error.ts';

type Action = (
  users: UserStore,
  context: CommandContext & {
    data: ServiceData;
    names: string[];
    operator: boolean;
    json: boolean;
    quotas: Partial<UserQuotas>;
  },
) => Promise<void>;

const ACTIONS: Record<string, Action> = {
  async add(users, { data, names, operator, json, now, output }) {
    const user = createUser(getOnlyName(names), { operator }, now());
    await runTransaction(data.database, (trx) => users.add(user, trx));
    if (json) return printUser(output, { ...user, designCount: 0, tokenCount: 0 });
    output.print(user.id);
    output.note(
      `Create a token for ${user.name} with: cloche-server token --user ${user.name} --capabilities read,write,embed`,
    );
  },

  async list(users, { names, json, output }) {
    if (names.length > 0) throw new UsageError(`"${names[0]}" is too much.`);
    const list = await users.list();
    if (json) for (const user of list) printUser(output, user);
    else for (const line of toTable(list)) output.print(line);
  },

  async disable(users, { data, names, now, output }) {
    const user = await getUser(users, names);
    const others = (await users.list()).filter(
      ({ id, operator, disabledAt }) => id !== user.id && operator && disabledAt === undefined,
    );
    if (user.operator && others.length === 0) {
      throw new UsageError(
        `${user.name} is the last operator. Add another first: cloche-server users add <name> --operator`,
      );
    }
    // Keeps the time of the first call.
    if (user.disabledAt === undefined) {
      await data.runWithReserve(() => users.setDisabled(user.id, now()));
    }
    output.note(
      `Tokens of ${user.name} are refused. A running service notices it within a second.`,
    );
  },

  async enable(users, { names, output }) {
    const user = await getUser(users, names);
    await users.setDisabled(user.id, undefined);
    output.note(
      `Tokens of ${user.name} are valid again, except those that were revoked or have expired.`,
    );
  },

  async quota(users, { names, quotas, output }) {
    const user = await getUser(users, names);
    if (Object.keys(quotas).length === 0)
      throw new UsageError('Write --max-mb, --max-designs, or both.');
    await users.setQuotas(user.id, quotas);
    const { maxMegabytes, maxDesigns } = { ...user, ...quotas };
    output.note(
      `${user.name} may store ${formatQuota(maxMegabytes, 'MiB')} and ${formatQuota(maxDesigns, 'designs')}. This applies at once. What is stored already stays.`,
    );
  },
};

const OPTIONS = {
  operator: { type: 'boolean' },
  json: { type: 'boolean' },
  'max-mb': { type: 'string' },
  'max-designs': { type: 'string' },
} as const;

/** Adds, lists, disables and enables users, and sets their quotas. */
export const usersCommand: Command = {
  summary: 'Add, list, disable or enable users, or set their quotas.',
  usage: `Usage: cloche-server users add <name> [--operator] [--json]
       cloche-server users list [--json]
       cloche-server users disable <name or id>
       cloche-server users enable <name or id>
       cloche-server users quota <name or id> [--max-mb <number>] [--max-designs <number>]

A user sees only its own designs, uploads, events and tokens. Disabling a user stops all its tokens at
once, also in embeds. Nothing is deleted.

  --operator     tokens of this user may create tokens for other users
  --json         print a JSON object for each user
  --max-mb       the most MiB of files that the user may store; 0: no limit;
                 "default": CLOCHE_MAX_MB_PER_USER of the service
  --max-designs  the most designs; 0: no limit;
                 "default": CLOCHE_MAX_DESIGNS_PER_USER of the service`,

  async run(args, context) {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
    const [name = '', ...names] = positionals;
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (action === undefined)
      throw new UsageError(`users: write one of ${Object.keys(ACTIONS).join(', ')}.`);
    const { operator = false, json = false } = values;
    if (operator && name !== 'add') throw new UsageError('--operator is an option of "users add".');
    const quotas = parseQuotas(values);
    if (Object.keys(quotas).length > 0 && name !== 'quota')
      throw new UsageError('--max-mb and --max-designs are options of "users quota".');
    await using data = await openServiceData(context.config);
    await action(new UserStore(data.database), {
      ...context,
      data,
      names,
      operator,
      json,
      quotas,
    });
  },
};

function parseQuotas(values: { 'max-mb'?: string; 'max-designs'?: string }): Partial<UserQuotas> {
  const { 'max-mb': megabytes, 'max-designs': designs } = values;
  return {
    ...(megabytes !== undefined && { maxMegabytes: parseQuota('--max-mb', megabytes) }),
    ...(designs !== undefined && { maxDesigns: parseQuota('--max-designs', designs) }),
  };
}

function parseQuota(option: string, text: string): number | undefined {
  if (text === 'default') return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= MAX_QUOTA) return value;
  throw new UsageError(
    `${option} is "${text}". It must be a whole number from 0 (no limit) to ${MAX_QUOTA}, or "default".`,
  );
}

function formatQuota(value: number | undefined, unit: string): string {
  if (value === undefined) return `as many ${unit} as the service allows by default`;
  return value === 0 ? `any number of ${unit}` : `${value} ${unit}`;
}

function getOnlyName([name, ...others]: string[]): string {
  if (name !== undefined && others.length === 0) return name;
  throw new UsageError('Write one name.');
}

async function getUser(users: UserStore, names: string[]) {
  const name = getOnlyName(names);
  const user = await users.find(name);
  if (user !== undefined) return user;
  throw new UsageError(`There is no user "${name}". "cloche-server users list" lists the users.`);
}

function printUser(output: CommandOutput, user: UserSummary): void {
  const { disabledAt = null, maxMegabytes = null, maxDesigns = null } = user;
  output.print(JSON.stringify({ ...user, disabledAt, maxMegabytes, maxDesigns }));
}

function toTable(users: UserSummary[]): string[] {
  const rows = users.map(({ id, name, operator, disabledAt, designCount, tokenCount }) => [
    name,
    id,
    operator ? 'operator' : 'user',
    disabledAt === undefined ? 'active' : `disabled since ${disabledAt.toISOString()}`,
    `${designCount} designs`,
    `${tokenCount} tokens`,
  ]);
  const widths = rows[0]?.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths?.[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

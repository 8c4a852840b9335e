import { parseArgs } from 'node:util';
import { createUser } from '../users/user.ts';
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
  },
) => Promise<void>;

const ACTIONS: Record<string, Action> = {
  async add(users, { data, names, operator, json, now, output }) {
    const user = createUser(getOnlyName(names), { operator }, now());
    await data.database.transaction().execute((trx) => users.add(user, trx));
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
};

/** Adds, lists, disables and enables users. */
export const usersCommand: Command = {
  summary: 'Add, list, disable or enable users.',
  usage: `Usage: cloche-server users add <name> [--operator] [--json]
       cloche-server users list [--json]
       cloche-server users disable <name or id>
       cloche-server users enable <name or id>

A user sees only its own designs, uploads, events and tokens. Disabling a user stops all its tokens at
once, also in embeds. Nothing is deleted.

  --operator  tokens of this user may create tokens for other users
  --json      print a JSON object for each user`,

  async run(args, context) {
    const options = { operator: { type: 'boolean' }, json: { type: 'boolean' } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const [name = '', ...names] = positionals;
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (action === undefined)
      throw new UsageError(`users: write one of ${Object.keys(ACTIONS).join(', ')}.`);
    const { operator = false, json = false } = values;
    if (operator && name !== 'add') throw new UsageError('--operator is an option of "users add".');
    await using data = await openServiceData(context.config);
    await action(new UserStore(data.database), { ...context, data, names, operator, json });
  },
};

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
  output.print(JSON.stringify({ ...user, disabledAt: user.disabledAt ?? null }));
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

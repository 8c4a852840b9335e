import { parseArgs } from 'node:util';
import { createSignInLink } from '../tokens/create-sign-in-link.ts';
import { UserStore } from '../users/user-store.ts';
import type { Command } from './command.ts';
import { findActiveUser } from './find-active-user.ts';
import { openServiceData } from './open-service-data.ts';

/** Prints a one-time link, with which the pages of the service are used without a token. */
export const signInLinkCommand: Command = {
  summary:
    'Print a link that signs you in once, on the machine of the service, while it runs or not.',
  usage: `Usage: cloche-server sign-in-link [--user <name or id>]

Prints a link that signs in the browser that opens it, once, within ten minutes. The session acts on behalf of a token of
the user that can do everything; without one, it is created.

  --user <name or id>    default: the first operator`,

  async run(args, { config, output, now }) {
    const { values } = parseArgs({ args, options: { user: { type: 'string' } } });
    await using data = await openServiceData(config);
    const user = await findActiveUser(new UserStore(data.database), values.user);
    const { database } = data;
    const { publicUrl } = config;
    const { url } = await createSignInLink(user.id, { database, publicUrl, now: now() });
    output.print(url);
    output.note(`The link signs in ${user.name}, once, within ten minutes.`);
  },
};

import { backupCommand } from './backup-command.ts';
import type { Command } from './command.ts';
import { gcCommand } from './gc-command.ts';
import { moveCommand } from './move-command.ts';
import { restoreCommand } from './restore-command.ts';
import { signInLinkCommand } from './sign-in-link-command.ts';
import { tokenCommand } from './token-command.ts';
import { usersCommand } from './users-command.ts';
import { verifyCommand } from './verify-command.ts';

/** The commands of `cloche-server` but `serve`. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  token: tokenCommand,
  'sign-in-link': signInLinkCommand,
  users: usersCommand,
  backup: backupCommand,
  restore: restoreCommand,
  verify: verifyCommand,
  gc: gcCommand,
  move: moveCommand,
};

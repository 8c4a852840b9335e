/**
 * The texts of the console, in English. Each part of the console has its texts in one file of `en/`. Those of `embed`, `operator` and
 * `page-check` are not in this list, so the first screen does not load them.
 */
import { common } from './en/common.ts';
import { design } from './en/design.ts';
import { designChoice } from './en/design-choice.ts';
import { designs } from './en/designs.ts';
import { fields } from './en/fields.ts';
import { layout } from './en/layout.ts';
import { options } from './en/options.ts';
import { origins } from './en/origins.ts';
import { sessions } from './en/sessions.ts';
import { signIn } from './en/sign-in.ts';
import { tokens } from './en/tokens.ts';
import { uploads } from './en/uploads.ts';

export const texts = {
  common,
  layout,
  signIn,
  sessions,
  designs,
  uploads,
  design,
  designChoice,
  fields,
  tokens,
  options,
  origins,
};

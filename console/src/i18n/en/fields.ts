import { design } from './design.ts';
import { options } from './options.ts';
import { sharedLabels } from './shared-labels.ts';
import { tokens } from './tokens.ts';

/** The labels of the fields of requests, as the forms have them. Errors begin with the label in place of the name. */
export const fields = {
  labels: {
    ...options.labels,
    ...design.fields,
    ...sharedLabels,
    ancestors: 'Address of your page',
    capabilities: tokens.form.capabilities,
    designs: tokens.form.chosenDesigns,
    expiresAt: tokens.form.expires,
    gracePeriodSeconds: tokens.rotate.grace,
    origins: tokens.form.origins,
    user: tokens.form.user,
  } as Record<string, string>,
  entry: (label: string, number: number) => `${label}, entry ${number}`,
};

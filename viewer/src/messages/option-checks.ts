import { parseOption } from '@cloche/contract/parse-option';
import { type ViewerOptionName, viewerOptions } from '@cloche/contract/viewer-options';
import { type Check, nullable, objectWith } from './argument-checks.ts';

/** Options by their names in JSON; null restores a default. */
export const optionChanges: Check = objectWith(
  Object.fromEntries(
    Object.keys(viewerOptions).map((name) => [
      name,
      nullable((value) => {
        const parsed = parseOption(name as ViewerOptionName, value);
        return 'expected' in parsed ? parsed.expected : undefined;
      }),
    ]),
  ),
);

import { listMissingPrograms } from './optional-programs.ts';

/** Prints, as the last lines of `npm test`, what was not tested because a program is missing. */
const missing = listMissingPrograms();
if (missing.length === 0) console.log('\nAll tests ran: every optional program is installed.');
else {
  console.log('\nNot tested on this machine:');
  for (const [name, { debianPackages, purpose }] of missing)
    console.log(`- ${purpose} (needs ${name}: apt-get install ${debianPackages.join(' ')})`);
}

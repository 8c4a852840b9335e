import { skipWithout } from '../../scripts/optional-programs.ts';
import { findBubblewrap } from '../src/sandbox/bubblewrap.ts';

/** For the option `skip` of a test: why this system has no sandbox of the level `strict`, or false if it has. */
export async function skipWithoutStrict(): Promise<string | false> {
  const missing = skipWithout('bwrap');
  if (missing) return missing;
  const bubblewrap = await findBubblewrap();
  return 'reason' in bubblewrap && bubblewrap.reason;
}

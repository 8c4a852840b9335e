import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** Loaded before the service with `--import`: appends the npm package of each module that is loaded to the file `RECORDED_PACKAGES`. */
const file = process.env.RECORDED_PACKAGES ?? '';
const recorded = new Set<string>();

registerHooks({
  load(url, context, nextLoad) {
    const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
    if (name !== undefined && !recorded.has(name)) {
      recorded.add(name);
      appendFileSync(file, `${name}\n`);
    }
    return nextLoad(url, context);
  },
});

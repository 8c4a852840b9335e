import { transform } from 'esbuild';
import { BROWSER_TARGETS } from './browser-targets.ts';

/** Minifies a style sheet. */
export async function minifyCss(css: string): Promise<string> {
  const { code } = await transform(css, { loader: 'css', minify: true, target: BROWSER_TARGETS });
  return code.trim();
}

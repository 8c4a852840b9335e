import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A program that does the four steps of embedding, in one language. */
export type EmbedExample = {
  /** The label of its tab. */
  language: string;
  /** The file in docs/examples. */
  file: string;
  /** The command that runs it, and its arguments before the path of the file. */
  command: readonly [program: string, ...args: string[]];
};

const EXAMPLES_DIRECTORY = join(import.meta.dirname, '../../../docs/examples');

/** The tabs of the API page. A test runs each program. */
export const EMBED_EXAMPLES: readonly EmbedExample[] = [
  { language: 'curl', file: 'embed.sh', command: ['sh'] },
  { language: 'JavaScript', file: 'embed.mjs', command: ['node'] },
  { language: 'Python', file: 'embed.py', command: ['python3'] },
  { language: 'PHP', file: 'embed.php', command: ['php'] },
  { language: 'Go', file: 'embed.go', command: ['go', 'run'] },
];

/** Reads the text of an example. */
export function readEmbedExample({ file }: EmbedExample): string {
  return readFileSync(join(EXAMPLES_DIRECTORY, file), 'utf8').trimEnd();
}

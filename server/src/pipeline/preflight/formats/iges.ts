import { damaged } from '../damaged.ts';
import { grouped, type Limits } from '../limits.ts';
import { blocksOf, type Source } from '../source.ts';
import { eachLine } from './lines.ts';

/** Where each line has the letter of its section, and behind it its number. */
const LETTER_AT = 72;
const LINE_CHARACTERS = 80;
const SECTIONS = 'SGDPT';

/** Checks an IGES file: lines of 80 characters, sections in order, and as many lines as it says. */
export async function checkIges(file: Source, limits: Limits): Promise<void> {
  const counts = [0, 0, 0, 0, 0];
  let section = 0;
  let end = '';
  await eachLine(blocksOf(file), limits, (line, at) => {
    if (line.trim() === '' || line === '\x1a') return;
    const letter = SECTIONS.indexOf(line.charAt(LETTER_AT) || '?');
    if (letter === -1) damaged('section', `Line ${at} of the IGES file is in no section`);
    if (letter < section) damaged('section', `Line ${at} of the IGES file is out of order`);
    if (line.trimEnd().length > LINE_CHARACTERS) {
      damaged(
        'section',
        `Line ${at} of the IGES file is longer than ${LINE_CHARACTERS} characters`,
      );
    }
    section = letter;
    counts[letter] = (counts[letter] ?? 0) + 1;
    if (Number(line.slice(LETTER_AT + 1)) !== counts[letter]) {
      damaged('section', `Line ${at} of the IGES file does not have the number that follows`);
    }
    if (section === SECTIONS.length - 1) end = line;
  });
  if (counts.some((count) => count === 0))
    damaged('truncated', 'The IGES file lacks a section: its end is missing');
  for (let at = 0; at < SECTIONS.length - 1; at++) {
    const says = Number(end.slice(8 * at + 1, 8 * at + 8));
    if (end.charAt(8 * at) === SECTIONS.charAt(at) && says === counts[at]) continue;
    const has = `${grouped(counts[at] ?? 0)} lines of the section ${SECTIONS.charAt(at)}`;
    damaged('count', `The IGES file has ${has}, but its last line says otherwise`);
  }
}

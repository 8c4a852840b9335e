import { formatNumber } from '../../validation/budgets.ts';
import { type ByteReader, readBlocks } from '../../validation/byte-reader.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import { visitLines } from '../../validation/lines.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';

/** Where each line has the letter of its section, and behind it its number. */
const SECTION_COLUMN = 72;
const LINE_LENGTH = 80;
const SECTIONS = 'SGDPT';

/** Checks an IGES file: lines of 80 characters, sections in order, and as many lines as it says. */
export async function validateIges(file: ByteReader, limits: ValidationLimits): Promise<void> {
  const counts = [0, 0, 0, 0, 0];
  let section = 0;
  let end = '';
  await visitLines(readBlocks(file), limits, (line, at) => {
    if (line.trim() === '' || line === '\x1a') return;
    const letter = SECTIONS.indexOf(line.charAt(SECTION_COLUMN) || '?');
    if (letter === -1) throwUnreadable('section', `Line ${at} of the IGES file is in no section`);
    if (letter < section) throwUnreadable('section', `Line ${at} of the IGES file is out of order`);
    if (line.trimEnd().length > LINE_LENGTH) {
      throwUnreadable(
        'section',
        `Line ${at} of the IGES file is longer than ${LINE_LENGTH} characters`,
      );
    }
    section = letter;
    counts[letter] = (counts[letter] ?? 0) + 1;
    if (Number(line.slice(SECTION_COLUMN + 1)) !== counts[letter]) {
      throwUnreadable(
        'section',
        `Line ${at} of the IGES file does not have the number that follows`,
      );
    }
    if (section === SECTIONS.length - 1) end = line;
  });
  if (counts.some((count) => count === 0))
    throwUnreadable('truncated', 'The IGES file lacks a section: its end is missing');
  for (let at = 0; at < SECTIONS.length - 1; at++) {
    const says = Number(end.slice(8 * at + 1, 8 * at + 8));
    if (end.charAt(8 * at) === SECTIONS.charAt(at) && says === counts[at]) continue;
    const has = `${formatNumber(counts[at] ?? 0)} lines of the section ${SECTIONS.charAt(at)}`;
    throwUnreadable('count', `The IGES file has ${has}, but its last line says otherwise`);
  }
}

import { formatNumber } from '../../validation/budgets.ts';
import { type ByteReader, readBlocks } from '../../validation/byte-reader.ts';
import type { FileHead, SniffEvidence } from '../../validation/file-head.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import { visitLines } from '../../validation/lines.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';

/** The column of the section letter. The sequence number follows it. */
const SECTION_COLUMN = 72;
const LINE_LENGTH = 80;
const SECTIONS = 'SGDPT';
const TERMINATE_SECTION = SECTIONS.length - 1;
const END_OF_FILE = '\x1a';

/** Recognizes an IGES file by its first line: section S, sequence number 1. */
export function sniffIges({ text }: FileHead): SniffEvidence | undefined {
  return /^[^\r\n]{72}S *0*1 *[\r\n]/.test(text) ? 'columns' : undefined;
}

/** Validates an IGES file: its lines of 80 characters, and the order and length of its sections. */
export async function validateIges(file: ByteReader, limits: ValidationLimits): Promise<void> {
  const lineCounts = SECTIONS.split('').map(() => 0);
  let section = 0;
  let terminateLine = '';
  await visitLines(readBlocks(file), limits, (line, lineNumber) => {
    if (line.trim() === '' || line === END_OF_FILE) return;
    const fail = (predicate: string) =>
      throwUnreadable('section', `Line ${lineNumber} of the IGES file ${predicate}`);
    const lineSection = SECTIONS.indexOf(line.charAt(SECTION_COLUMN) || '?');
    if (lineSection === -1) fail('has no section letter in column 73');
    if (lineSection < section) fail('belongs to an earlier section');
    if (line.trimEnd().length > LINE_LENGTH) fail(`is longer than ${LINE_LENGTH} characters`);
    section = lineSection;
    const sequenceNumber = (lineCounts[section] ?? 0) + 1;
    lineCounts[section] = sequenceNumber;
    if (Number(line.slice(SECTION_COLUMN + 1)) !== sequenceNumber)
      fail(`does not have the sequence number ${sequenceNumber}`);
    if (section === TERMINATE_SECTION) terminateLine = line;
  });
  if (lineCounts.includes(0))
    throwUnreadable('truncated', 'The IGES file is cut off: a section is missing');
  for (let index = 0; index < TERMINATE_SECTION; index++) {
    validateDeclaredCount(terminateLine, index, lineCounts[index] ?? 0);
  }
}

/** Compares a section with its length in the last line, such as `S0000001G0000004`. */
function validateDeclaredCount(terminateLine: string, index: number, lineCount: number): void {
  const letter = SECTIONS.charAt(index);
  const declared = Number(terminateLine.slice(8 * index + 1, 8 * index + 8));
  if (terminateLine.charAt(8 * index) === letter && declared === lineCount) return;
  throwUnreadable(
    'count',
    `The IGES file has ${formatNumber(lineCount)} lines in section ${letter}, but its last line declares another number`,
  );
}

import { Problem } from '@cloche/contract/problem';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import { throwUnreadable } from '../../validation/unreadable.ts';

/** Keyword and counts of an OFF. */
export type OffHeader = {
  vertexCount: number;
  faceCount: number;
  /** What each vertex has, in this order, after its position. */
  hasNormals: boolean;
  hasColors: boolean;
  hasTexCoords: boolean;
  /** The offset of the line after the counts, and how many lines are before it. */
  dataOffset: number;
  lineCount: number;
};

/** The header must end within these bytes. It is short, but may have comments. */
export const MAX_OFF_HEADER_BYTES = 64 * 1024;

/** Some writers omit the space between the keyword and the first count: `OFF490 518 0`. */
const OFF_START = /^(?:\xef\xbb\xbf)?\s*(?:#[^\r\n]*[\r\n]\s*)*((?:ST|C|N|4|n)*)OFF(?=[\s#\d]|$)/;
const SPACES_AND_COMMENTS = /(?:\s|#[^\r\n]*)*/y;
/** A line without its comment, then the comment and the line break. */
const REST_OF_LINE = /([^\r\n#]*)[^\r\n]*(?:\r\n?|\n)?/y;
/** The number of edges is often omitted or wrong, and nothing depends on it. */
const COUNTS = /^(\d{1,15})\s+(\d{1,15})(\s|$)/;

/** Whether a text starts with the keyword of an OFF, which comments may precede. */
export function hasOffKeyword(text: string): boolean {
  return OFF_START.test(text);
}

/**
 * Parses the header of an OFF.
 *
 * @param head the first `MAX_OFF_HEADER_BYTES`, or the whole file
 * @throws {Problem} design.unreadable; design.unsupported: four or more dimensions, or binary
 */
export function parseOffHeader(head: Buffer): OffHeader {
  const text = head.toString('latin1', 0, MAX_OFF_HEADER_BYTES);
  const [start, prefixes = ''] = OFF_START.exec(text) ?? [];
  if (start === undefined) throwUnreadable('header', 'The OFF does not start with "OFF"');
  const countsOffset = skip(SPACES_AND_COMMENTS, text, start.length);
  const dataOffset = skip(REST_OF_LINE, text, countsOffset);
  if (dataOffset === MAX_OFF_HEADER_BYTES) {
    throwUnreadable('header', 'The header of the OFF does not end within its first 65,536 bytes');
  }
  const line = text.slice(countsOffset, dataOffset).replace(/[#\r\n][\s\S]*/, '');
  assertSupported(prefixes, line);
  const [, vertexCount, faceCount] = COUNTS.exec(line) ?? [];
  if (vertexCount === undefined || faceCount === undefined) {
    const found = line.trim() === '' ? 'nothing' : quoteUntrusted(line.trim());
    throwUnreadable(
      'header',
      `"OFF" must be followed by the numbers of vertices and faces, but ${found} follows`,
    );
  }
  return {
    vertexCount: Number(vertexCount),
    faceCount: Number(faceCount),
    hasNormals: prefixes.includes('N'),
    hasColors: prefixes.includes('C'),
    hasTexCoords: prefixes.includes('ST'),
    dataOffset,
    lineCount: text.slice(0, dataOffset).match(/\r\n?|\n/g)?.length ?? 0,
  };
}

/** How many numbers a vertex has at least: colors have three or four. */
export function getMinimumVertexLength(header: OffHeader): number {
  return (
    3 + (header.hasNormals ? 3 : 0) + (header.hasColors ? 3 : 0) + (header.hasTexCoords ? 2 : 0)
  );
}

/** Returns the offset after what a sticky pattern matches at `offset`. */
function skip(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset;
  return offset + (pattern.exec(text)?.[0].length ?? 0);
}

function assertSupported(prefixes: string, line: string): void {
  const kind = /^\s*BINARY\b/.test(line)
    ? 'a binary OFF; write it as text'
    : /[4n]/.test(prefixes)
      ? 'an OFF with more than three dimensions; write it with three'
      : undefined;
  if (kind === undefined) return;
  const detail = `This is ${kind}.`;
  throw new Problem('design.unsupported', { detail, reason: 'off-variant' });
}

import { Problem } from '@cloche/contract/problem';
import { type NumberType, readNumber } from '../../validation/binary-cursor.ts';
import { Tokenizer } from '../../validation/tokenizer.ts';
import { assertRowsFit, type PlyHeader, type PlyProperty } from './header.ts';

/** Reads the rows of the elements of a PLY, one after the other. */
export type PlyRowReader = {
  /** Reads the single numbers of a row into `row` and skips its lists. */
  readRow(properties: readonly PlyProperty[], row: Float64Array): void;
  /** Reads a row and returns the list of the property at this index, or an empty list. */
  readList(properties: readonly PlyProperty[], listIndex: number): number[];
};

/**
 * Creates a reader of the data after the header.
 *
 * @throws {Problem} design.unreadable: the file is too small for its header. The reader throws the
 *   same if the data ends early
 */
export function createRowReader(bytes: Buffer, header: PlyHeader): PlyRowReader {
  assertRowsFit(header, bytes.length);
  const readNext =
    header.encoding === 'ascii'
      ? createAsciiReader(bytes, header.dataOffset)
      : createBinaryReader(bytes, header.dataOffset, header.encoding === 'binary_little_endian');
  return toRowReader(readNext);
}

type ReadNext = (type: NumberType) => number;

function toRowReader(readNext: ReadNext): PlyRowReader {
  const readValues = (lengthType: NumberType, type: NumberType) => {
    const length = readNext(lengthType);
    const values: number[] = [];
    for (let index = 0; index < length; index++) values.push(readNext(type));
    return values;
  };
  return {
    readRow(properties, row) {
      for (const [index, { type, lengthType }] of properties.entries()) {
        if (lengthType) readValues(lengthType, type);
        else row[index] = readNext(type);
      }
    },
    readList(properties, listIndex) {
      let list: number[] = [];
      for (const [index, { type, lengthType }] of properties.entries()) {
        if (!lengthType) readNext(type);
        else if (index === listIndex) list = readValues(lengthType, type);
        else readValues(lengthType, type);
      }
      return list;
    },
  };
}

function createAsciiReader(bytes: Buffer, start: number): ReadNext {
  const tokenizer = new Tokenizer(bytes, start);
  return () => {
    while (!tokenizer.hasTokenOnLine()) {
      if (tokenizer.isAtEnd) throw truncatedError();
      tokenizer.skipLine();
    }
    return tokenizer.readNumber();
  };
}

function createBinaryReader(bytes: Buffer, start: number, littleEndian: boolean): ReadNext {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let offset = start;
  return (type) => {
    if (offset + type.bytes > bytes.length) throw truncatedError();
    const value = readNumber(view, offset, type, littleEndian);
    offset += type.bytes;
    return value;
  };
}

function truncatedError(): Problem {
  return new Problem('design.unreadable', {
    detail: 'The PLY ends before the last row that its header declares.',
  });
}
